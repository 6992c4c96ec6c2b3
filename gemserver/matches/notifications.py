"""Which news reach a player as a mail at once, which in the daily digest, and which are left to the web.

The account's mail mode lays down a channel for every event (`BY_MODE`); a `NotificationChoice` replaces it for one
event in all matches, or in one match. It is asked here when a mail is queued, and once more when it is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from django.db.models import Q

from gemserver.accounts.models import User
from gemserver.matches import mail_ids
from gemserver.matches.models import Match, NotificationChoice, Sitting
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import tell

Event = NotificationChoice.Event
Channel = NotificationChoice.Channel

EVENT_OF: Mapping[str, NotificationChoice.Event] = MappingProxyType(
    {
        "turn": Event.TURN,
        "reminder": Event.REMINDER,
        "timeout": Event.TIMEOUT,
        "replaced": Event.TIMEOUT,
        "cut-off": Event.TABLE,
        "talk": Event.TALK,
        "started": Event.TABLE,
        "cancelled": Event.TABLE,
        "finished": Event.TABLE,
        "holiday": Event.TABLE,
        "sit-asked": Event.TABLE,
        "sit-answered": Event.TABLE,
        "sit-over": Event.TABLE,
    }
)
"""The event that a kind of mail tells of. Any other kind is always sent: it answers what its reader has done."""

BY_MODE: Mapping[str, Mapping[str, NotificationChoice.Channel]] = MappingProxyType(
    {
        User.MailMode.TURNS: dict.fromkeys(Event, Channel.MAIL),
        User.MailMode.DIGEST: {
            **dict.fromkeys(Event, Channel.MAIL),
            Event.TURN: Channel.DIGEST,
            Event.TALK: Channel.DIGEST,
        },
        User.MailMode.OFF: dict.fromkeys(Event, Channel.WEB),
    }
)
"""What holds for an event for which nothing else is chosen."""

NOT_IN_DIGEST = frozenset({Event.REMINDER})
"""A digest names each deadline anyway."""

_SNOOZED = frozenset({Event.TURN, Event.REMINDER})


def channel(user: User, event: str, match_id: int | None) -> NotificationChoice.Channel:
    """How this player is told of the event in this match (None: in matches for which nothing else is chosen)."""
    return channels(user, match_id)[Event(event)]


def channels(user: User, match_id: int | None) -> dict[NotificationChoice.Event, NotificationChoice.Channel]:
    """The same for all events. A digest without its hour would never come, so what it should tell is mailed."""
    chosen = {
        (row.match_id, row.event): row.channel
        for row in user.notification_choices.filter(Q(match=match_id) | Q(match=None))
    }
    found = {}
    for event in Event:
        by_event = chosen.get((None, event)) or BY_MODE[user.mail_mode][event]
        wanted = Channel(chosen.get((match_id, event)) or by_event)
        has_no_hour = wanted == Channel.DIGEST and user.next_digest_at is None
        found[event] = Channel.MAIL if has_no_hour else wanted
    return found


def is_wanted(message: OutboxMessage) -> bool:
    """Whether the reader of a queued mail still wants to be told such news by mail at once."""
    event = EVENT_OF.get(message.kind)
    if event is None or message.user is None:
        return True
    return channel(message.user, event, message.data["match"]) == Channel.MAIL


def tell_player(
    reader: User,
    match: Match,
    seat: int,
    kind: str,
    *,
    turn: int,
    now: datetime,
    number: int = 0,
    sitting: Sitting | None = None,
    not_before: datetime | None = None,
    **data: object,
) -> None:
    """Queue one mail about a seat, if its reader wants it at once; once for this reader, kind, turn and number.

    `sitting`: the reader plays the seat for somebody. Mails about turns wait until the end of a snooze.
    """
    event = EVENT_OF.get(kind)
    if event and channel(reader, event, match.pk) != Channel.MAIL:
        return
    key = f"{kind}:{match.pk}:{seat}:{turn}" + (f":{number}" if number else "")
    tell(
        reader,
        kind,
        thread=match.thread,
        data={"match": match.pk, "seat": seat, "turn": turn, **data},
        dedup_key=key + (f":sitting:{sitting.pk}" if sitting else ""),
        message_id=mail_ids.message_id(kind, match.pk, turn, seat, number, sitting.pk if sitting else 0),
        now=now,
        not_before=reader.snoozed_until if event in _SNOOZED else not_before,
    )
