"""Decides whether a mail is answered, and to which address (mail-requirements.md L8, S3, S4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import translation
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult, Verdict
from gemserver.inbox.senders import sender_proof
from gemserver.lib import clock, signing
from gemserver.mailgate.authority import know_sender
from gemserver.mailgate.handlers.puzzle_command import TRIES as TRIES_OF_PUZZLES
from gemserver.mailgate.handlers.tutorial_command import TRIES as TRIES_OF_LESSONS
from gemserver.mailgate.lines.courtesy import split_courtesies
from gemserver.mailgate.replies.lessons import find_lesson
from gemserver.mailgate.replies.puzzle_replies import find_note
from gemserver.matches.models import Move, Seat
from gemserver.matches.notifications import HELD
from gemserver.notify import account_mail
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import draft, queue
from gemserver.nudge import nudge

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
PER_HOUR = 5
PER_DAY = 20
"""Answers a day to one person about one match, for mails without an accepted command (mail-requirements.md L8).

The last of them says until when more are not answered. Strangers are counted by `sign_up`; players are not counted by
domain.
"""
TRIES_PER_HOUR = 20
TRIES_PER_DAY = 60
"""Answers to tries in lessons and puzzles that were no move or came again: people guess there, machines do not stop."""
PER_SAME_WORDS = 2
"""Answers in an hour that say the very same; the second says that there is no third."""
PER_SENDER_AND_HOUR = 100
"""Answers to one person in all; beyond it, only mail that changes something is answered."""
MOST_ASKED_ABOUT = 3
"""Unknown senders about whom a player is asked within a day, proved ones and others each (mail-requirements.md S4)."""

State = InboundEmail.State


def answer(row: InboundEmail, verdict: Verdict) -> None:
    """Queue the receipt of a processed mail, or the question about a held one, in the caller's transaction.

    It goes to the sender only if that address is verified, else to the player's registered address: never to an address
    that only the mail itself names. Players who want no mail get none at an address other than the one they have
    written from. The verdict's secrets stand in this mail alone and are dropped once it is sent.
    """
    player = row.user
    if player is None or not tells_something(row, verdict, player):
        return
    sender = know_sender(row.sender, player)
    to: str | None = row.sender
    if not sender.is_theirs:
        to = player.mail_address()
    elif sender.is_unreachable:
        to = player.mail_address() if player.mail_mode != User.MailMode.OFF else None
    if to is None:
        return
    kind = "held" if row.state == State.HELD else "receipt"
    receipt = draft(
        player,
        kind,
        thread=row.seat.match.thread if row.seat else f"user:{player.pk}",
        data=_gather(row, verdict, player),
        dedup_key=f"{kind}:{row.pk}",
        message_id=f"<a.{row.pk}.{signing.mac('a', kind, row.pk)}@{settings.MAIL_DOMAIN}>",
        now=clock.now(),
        to=to,
        in_reply_to=f"<{row.message_id}>" if row.message_id and sender.is_theirs else "",
    )
    turn = _find_held_turn(row, receipt)
    if turn is None:
        queue([receipt])
        return
    # The row of the turn becomes the answer, under its own Message-ID: that names the turn.
    turn.kind, turn.in_reply_to = receipt.kind, receipt.in_reply_to
    turn.data = {**turn.data, **receipt.data}
    turn.save(update_fields=["kind", "in_reply_to", "data"])


def _gather(row: InboundEmail, verdict: Verdict, player: User) -> dict[str, Any]:
    """The data of the row from which the answer will be written."""
    data: dict[str, Any] = {
        "inbound": row.pk,
        "accepted": row.state == State.DONE,
        "previewed": verdict.previewed,
    }
    if _is_routine(verdict) and player.receipts != User.Receipts.ALL:
        data["first"] = True
    if verdict.quiet_until:
        data["quiet_until"] = verdict.quiet_until.isoformat()
    if _are_tries(verdict.results):
        data["tried"] = True
    if lesson := find_lesson(verdict.results):
        data["tutorial"] = dict(lesson)
    if puzzle := find_note(verdict.results):
        data["puzzle"] = puzzle
    if verdict.secrets:
        data["secret"] = dict(verdict.secrets)
    return data


def erase_and_say_so(row: InboundEmail, user: User) -> None:
    """Erase the account whose owner has written this mail, which goes with it, and send a last word."""
    address, now = row.sender, clock.now()
    with translation.override(user.language):
        subject = gettext("Your account is erased")
        text = gettext("Your account is erased, as you have asked. Good-bye, and thank you for playing.")
        erase(user, source=Move.Source.MAIL, now=now)
        account_mail.queue(subject, text, "", to=address, now=now)


def _find_held_turn(row: InboundEmail, receipt: OutboxMessage) -> OutboxMessage | None:
    """The mail about the turn that this mail has brought to its own writer, if it waits for the answer."""
    if row.seat is None or receipt.kind != "receipt":
        return None
    turns = _held_turns(row.user).filter(thread=receipt.thread, to=receipt.to, data__seat=row.seat.index)
    return next((turn for turn in turns.order_by("-pk") if _is_held(turn)), None)


def release_turns(user: User | None) -> None:
    """Send the mails that have waited for the answer to a mail of this player, those that became it too."""
    held = [turn.pk for turn in _held_turns(user) if _is_held(turn)] if user else []
    if held:
        OutboxMessage.objects.filter(pk__in=held).update(available_at=clock.now())
        nudge("gemserver.notify.tasks.send_mail")


def _held_turns(user: User | None) -> QuerySet[OutboxMessage]:
    waiting = OutboxMessage.objects.select_for_update().filter(
        user=user, kind__in=["turn", "receipt"], state=OutboxMessage.State.QUEUED, attempts=0
    )
    return waiting.filter(data__has_key=HELD)


def _is_held(turn: OutboxMessage) -> bool:
    """True if no worker has taken it yet."""
    return turn.available_at == datetime.fromisoformat(turn.data[HELD])


PLAIN_TALK = frozenset({"say", "note"})
"""Commands whose receipt tells nothing new."""
ABOUT_MAIL = frozenset(
    {"mail", "digest", "unsubscribe", "address", "welcome", "tokens", "token", "notify", "player", "ratings"}
)
"""Commands that are answered at every level: they change what comes by mail, or the answer is all that they are for."""

_TRIES = TRIES_OF_LESSONS | TRIES_OF_PUZZLES
FROM_PROSE = frozenset({"talk"})
"""Commands read from prose, which are always answered: something else may have been meant."""


def tells_something(row: InboundEmail, verdict: Verdict, player: User) -> bool:
    """True if the player has chosen to get this answer (mail-requirements.md L11).

    At every level: the answer to a question, to a command about mail, to talk that was written as prose, to a try of a
    lesson or puzzle, to a mail that may not be the player's, and the last failure. Below `all`, a move that was simply
    played needs no answer, unless it is the first that was mailed.
    """
    outcomes = {result.outcome for result in verdict.results}
    codes = {result.code for result in verdict.results if result.outcome == "done"}
    is_owed = (
        "shown" in outcomes
        or codes & (ABOUT_MAIL | FROM_PROSE)
        or verdict.quiet_until is not None
        or verdict.secrets
        or not verdict.results
        or verdict.state == State.HELD
        or _are_tries(verdict.results)
    )
    if is_owed or player.receipts == User.Receipts.ALL:
        return True
    if player.receipts == User.Receipts.NONE:
        return False
    return not _is_routine(verdict) or _is_first_of(player, row)


def _are_tries(results: Sequence[LineResult]) -> bool:
    """True if nothing but a try of a lesson or a puzzle was refused."""
    failed = {result.code for result in results if result.outcome in ("refused", "unread")}
    return bool(failed) and failed <= _TRIES


def _is_routine(verdict: Verdict) -> bool:
    """True if everything in the mail was simply done."""
    _, unread = split_courtesies(verdict.results)
    read = [result for result in verdict.results if result.outcome != "unread"]
    return bool(read) and not unread and all(map(_is_simply_done, read))


def _is_simply_done(result: LineResult) -> bool:
    """True for a move that was played as it was written, and for talk."""
    is_move = result.ply is not None and result.message is None
    return result.outcome == "done" and (is_move or result.code in PLAIN_TALK)


def _is_first_of(player: User, row: InboundEmail) -> bool:
    """True if no earlier mail of the player has done anything."""
    return not InboundEmail.objects.filter(user=player, state=State.DONE).exclude(pk=row.pk).exists()


def was_told_today(code: str, user: User | None, row: InboundEmail) -> bool:
    """True if the player was told of such a mail within a day; they are told once at most."""
    earlier = InboundEmail.objects.filter(
        user=user, code=code, processed_at__gt=clock.now() - DAY, state=State.REFUSED
    )
    return earlier.exclude(pk=row.pk).exists()


def may_ask_about(row: InboundEmail, player: User | None) -> bool:
    """True if the player may be asked about this mail of an unknown sender: once a day, and about few of them.

    Senders that are proved are counted apart: who writes under forged names uses up no question about a true one.
    """
    asked = InboundEmail.objects.filter(
        user=player, code="foreign-sender", processed_at__gt=clock.now() - DAY, state=State.HELD
    )
    is_proved = sender_proof(row) == "pass"
    others = asked.exclude(pk=row.pk).only("sender", "auth")
    alike = {other.sender for other in others if (sender_proof(other) == "pass") == is_proved}
    return row.sender not in alike and len(alike) < MOST_ASKED_ABOUT


@dataclass(frozen=True, slots=True)
class Allowance:
    """The decision to answer a mail; `quiet_until`: it is the last such mail that is answered until this instant."""

    answers: bool = True
    quiet_until: datetime | None = None


def allowance(user: User, seat: Seat | None, results: Sequence[LineResult]) -> Allowance:
    """Decide whether this mail is answered, and whether its answer says that the server falls silent.

    A mail that changed something always is, so that honest play never falls silent. Mail that was understood and
    changed nothing (`help`, `status`) has a cap that no person reaches. Mail that was not understood has the caps of
    mail-requirements.md L8, and is answered in the very same words twice in an hour at most; tries of lessons and
    puzzles have caps of their own.
    """
    outcomes = {result.outcome for result in results}
    if "done" in outcomes:
        return Allowance()
    now = clock.now()
    answered = OutboxMessage.objects.filter(kind="receipt", user=user, created_at__gt=now - DAY)
    caps = [_Cap(_times(answered, "created_at"), HOUR, PER_SENDER_AND_HOUR)]
    if "shown" in outcomes:
        return _allow(caps, now)
    are_tries = _are_tries(results)
    if user.receipts == User.Receipts.NONE and not are_tries:
        return _allow([*caps, *_caps_of_failures(_times(_failures(user, seat), "processed_at"))], now)
    failed = answered.filter(data__accepted=False)
    tried = failed.filter(data__has_key="tried")
    failed = tried if are_tries else failed.exclude(pk__in=tried.values("pk"))
    if seat is not None:
        failed = failed.filter(thread=seat.match.thread)
    same = _Cap(_said_already(failed.filter(created_at__gt=now - HOUR), results), HOUR, PER_SAME_WORDS)
    times = _times(failed, "created_at")
    if are_tries:
        return _allow([*caps, _Cap(times, HOUR, TRIES_PER_HOUR), _Cap(times, DAY, TRIES_PER_DAY), same], now)
    return _allow([*caps, *_caps_of_failures(times), same], now)


@dataclass(frozen=True, slots=True)
class _Cap:
    """A number of answers within a span; `times`: those of earlier ones, oldest first."""

    times: Sequence[datetime]
    span: timedelta
    most: int

    def left(self, now: datetime) -> int:
        return self.most - sum(at > now - self.span for at in self.times)

    def ends_at(self, now: datetime) -> datetime:
        """The instant from which one more is answered, if one is answered now that uses it up."""
        lately = [*(at for at in self.times if at > now - self.span), now]
        return lately[max(0, len(lately) - self.most)] + self.span


def _caps_of_failures(times: Sequence[datetime]) -> list[_Cap]:
    return [_Cap(times, HOUR, PER_HOUR), _Cap(times, DAY, PER_DAY)]


def _allow(caps: Sequence[_Cap], now: datetime) -> Allowance:
    if any(cap.left(now) <= 0 for cap in caps):
        return Allowance(answers=False)
    used_up = [cap.ends_at(now) for cap in caps if cap.left(now) == 1]
    return Allowance(quiet_until=max(used_up, default=None))


def _times(rows: QuerySet[Any], field: str) -> list[datetime]:
    return list(rows.order_by(field).values_list(field, flat=True))


def _failures(user: User, seat: Seat | None) -> QuerySet[InboundEmail]:
    """The failures of a day of a player who is told of none but the last: as many count as others are told."""
    failed = InboundEmail.objects.filter(user=user, state=State.REFUSED, processed_at__gt=clock.now() - DAY)
    failed = failed.exclude(code__in=_TRIES)
    return failed if seat is None else failed.filter(seat=seat)


def _said_already(answered: QuerySet[OutboxMessage], results: Sequence[LineResult]) -> list[datetime]:
    """The times of those answers that said just what this one would say, oldest first."""
    same = [result.to_json() for result in results]
    said = {data["inbound"]: at for data, at in answered.order_by("pk").values_list("data", "created_at")}
    found = {row.pk for row in InboundEmail.objects.filter(pk__in=list(said)) if row.results == same}
    return [at for pk, at in said.items() if pk in found]
