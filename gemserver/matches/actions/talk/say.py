"""Say something to the table."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.blocks import blocked_with
from gemserver.accounts.models import User
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.lib.text.plain import clean
from gemserver.lib.text.redaction import redact, redact_tokens
from gemserver.matches import talk, turns
from gemserver.matches.locking import lock_match
from gemserver.matches.models import ChatMessage, Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.request_names import name_request
from gemserver.matches.seating import held_seat
from gemserver.matches.voice import require_voice
from gemserver.notify import outbox

LONGEST_MESSAGE = 2000
"""Characters of one message."""

MOST_MESSAGES, IN_TIME = 100, timedelta(minutes=10)
"""Messages that a player may send in that time, at all tables together: faster than anybody types."""

GATHERING = timedelta(minutes=1)
"""How long a mail about talk waits for more of it, so that a chat does not become a mail for each line."""


def say(
    match_id: int,
    user: User,
    text: str,
    request_id: str,
    *,
    source: Move.Source = Move.Source.WEB,
    now: datetime,
) -> ChatMessage:
    """Post a message to the table and queue the mails about it; the same `request_id` of a user posts it once.

    The text is stored as typed, except that our own reply addresses and tokens are redacted (mail-requirements.md A8).
    Raises Refused(no-such-match, not-seated, cancelled, nothing-said, too-long, too-many-messages, muted).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        seat = _find_seat(match, user)
        name = name_request(source, user, seat.index, request_id)
        if name and (earlier := match.messages.filter(request_id=name).first()):
            return earlier
        said = clean(text)
        _require_fit(said)
        require_voice(user, now)
        count_alone(f"talk {user.pk}")
        _require_pause(user, now)
        message = ChatMessage.objects.create(
            match=match,
            author=user,
            seat=seat.index,
            ply=match.ply,
            text=redact_tokens(redact(said), [seat.token, user.token, user.feed_token]),
            request_id=name,
            created_at=now,
        )
        talk.note_look(seat, message)
        _tell_table(match, message, now)
        return message


def _find_seat(match: Match, user: User) -> Seat:
    seat = held_seat(match, user)
    if seat is None:
        raise Refused("not-seated", "You do not sit at {code}; only its players talk there.", code=match.code)
    if match.status == Match.Status.CANCELLED:
        raise Refused("cancelled", "{code} was cancelled; nobody sits there any more.", code=match.code)
    return seat


def _require_fit(said: str) -> None:
    if not said.strip():
        raise Refused("nothing-said", "There is nothing to say yet; write your words and send them.")
    if len(said) > LONGEST_MESSAGE:
        raise Refused(
            "too-long",
            "A message can have {most} characters, and this one has {count}; send it in parts.",
            most=LONGEST_MESSAGE,
            count=len(said),
        )


def _require_pause(user: User, now: datetime) -> None:
    lately = ChatMessage.objects.filter(author=user, created_at__gt=now - IN_TIME, created_at__lte=now)
    if lately.count() >= MOST_MESSAGES:
        raise Refused(
            "too-many-messages",
            "You have sent {most} messages in {minutes} minutes; wait a little and send this one again.",
            most=MOST_MESSAGES,
            minutes=IN_TIME // timedelta(minutes=1),
        )


def _tell_table(match: Match, message: ChatMessage, now: datetime) -> None:
    """Queue a mail to each other player, unless one that is still gathering messages will include this one."""
    assert message.author is not None
    strangers = blocked_with(message.author)
    for seat in match.seats.select_related("user").exclude(user=None).exclude(user=message.author):
        assert seat.user is not None
        if seat.user_id in strangers or outbox.is_gathering(seat.user, "talk", match.thread, GATHERING):
            continue
        turns.tell_seat(
            match,
            seat,
            "talk",
            turn=seat.prompt_ply,
            number=message.pk,
            now=now,
            not_before=now + GATHERING,
            first=message.pk,
        )
