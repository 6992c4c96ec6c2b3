"""A player's own mails of late: what came of those that they wrote, and where those are that we wrote to them.

For that player alone. Only mails are listed of which it is proved that they are the player's, or that have acted for
them; of a mail that still waits for their consent, sender and time. Texts are those that the player has typed or that
an answer has told them; none is shown of a running match in which they play for no seat any more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext, gettext_noop

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult
from gemserver.inbox.senders import of_another, sender_proof
from gemserver.inbox.verdict_words import say_outcome, say_why_not
from gemserver.lib.text.redaction import redact
from gemserver.matches import sitters
from gemserver.matches.models import Match, Seat
from gemserver.matches.privacy import seen_by
from gemserver.notify.models import DeliveryEvent, OutboxMessage

LATELY = timedelta(days=30)
MOST = 30
"""Mails of each direction that are listed."""
MOST_LINES = 6
"""Lines of one mail that are listed."""

State = InboundEmail.State


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One line of a mail as it was read, what came of it, and why (empty: it was simply done)."""

    text: str
    outcome: str
    why: str


@dataclass(frozen=True, slots=True)
class MailFromPlayer:
    """A mail that the player has written. `state` and `why` are about the mail as a whole; `subject` may be empty."""

    at: datetime
    match: Match | None
    subject: str
    state: str
    why: str
    lines: Sequence[ReadLine]
    left_out: int
    """The number of lines behind those."""


@dataclass(frozen=True, slots=True)
class MailToPlayer:
    """A mail to the player. `reports` is what its way brought back, such as `cannot be delivered`; mostly nothing."""

    at: datetime
    match: Match | None
    about: str
    way: str
    """The address, or the words for another channel."""
    state: str
    is_lost: bool
    """True if it is known that it has not arrived."""
    reports: str


def read_mails_from(user: User, *, now: datetime) -> list[MailFromPlayer]:
    """Those of the last 30 days, the newest first."""
    rows = _rows_of(user, now - LATELY)
    keys = {row.seat.match_id for row in rows if row.seat}
    own, seen = _own_matches(user, keys, now), _seen_matches(user, keys)
    return [
        _tell(row, seen, is_open=row.seat is None or row.seat.match_id in own & seen.keys()) for row in rows
    ]


def _rows_of(user: User, since: datetime) -> list[InboundEmail]:
    addresses = user.verified_addresses()
    late = InboundEmail.objects.defer("raw").select_related("seat").filter(received_at__gt=since)
    agreed = Q(state=State.HELD) | Q(released_at__isnull=False)
    known = late.filter(Q(sender__in=addresses) | agreed, user=user)
    # Of a mail that acted for nobody only a proof says that it is not somebody else's with the player's address.
    unknown = late.filter(~of_another(user), user=None, sender__in=addresses)
    proved = [row for row in _newest(unknown) if sender_proof(row) == "pass"]
    rows = sorted([*_newest(known), *proved], key=lambda row: (row.received_at, row.pk), reverse=True)
    return rows[:MOST]


def _newest(rows: QuerySet[InboundEmail]) -> QuerySet[InboundEmail]:
    return rows.order_by("-received_at", "-pk")[:MOST]


def _seen_matches(user: User, matches: Collection[int]) -> Mapping[int, Match]:
    """Those that the player may know of: who has left a private club is told of its matches no more."""
    return {match.pk: match for match in Match.objects.filter(seen_by(user), pk__in=matches)}


def _own_matches(user: User, matches: set[int], now: datetime) -> set[int]:
    """Those of the matches that are over, or in which the player holds a seat or plays for somebody."""
    over = Match.objects.filter(pk__in=matches, status__in=[Match.Status.FINISHED, Match.Status.CANCELLED])
    held = Seat.objects.filter(match__in=matches, user=user)
    sat_in = sitters.acting(now).filter(sitter=user, seat__match__in=matches)
    return {
        *over.values_list("pk", flat=True),
        *held.values_list("match", flat=True),
        *sat_in.values_list("seat__match", flat=True),
    }


def _tell(row: InboundEmail, seen: Mapping[int, Match], *, is_open: bool) -> MailFromPlayer:
    is_proved = sender_proof(row) != "fail" and row.state != State.HELD
    results = [LineResult.from_json(result) for result in row.results] if is_open and is_proved else []
    subject = redact(row.subject) if is_open and is_proved else ""
    return MailFromPlayer(
        at=row.received_at,
        match=seen.get(row.seat.match_id) if row.seat else None,
        subject=subject,
        state=row.get_state_display(),
        why=say_why_not(row) or "",
        lines=[_tell_line(result) for result in results[:MOST_LINES]],
        left_out=max(0, len(results) - MOST_LINES),
    )


def _tell_line(result: LineResult) -> ReadLine:
    why = redact(result.sentence) if result.outcome in ("refused", "unread") else ""
    return ReadLine(redact(result.line), say_outcome(result.outcome), why)


def read_mails_to(user: User, *, now: datetime) -> list[MailToPlayer]:
    """Those of the last 30 days, the newest first."""
    reports = DeliveryEvent.objects.order_by("at", "pk")
    late = OutboxMessage.objects.filter(user=user, created_at__gt=now - LATELY)
    late = late.defer("rendered", "sent_words").prefetch_related(Prefetch("delivery_events", reports))
    rows = list(late.order_by("-created_at", "-pk")[:MOST])
    numbers = {int(row.thread[len("match:") :]) for row in rows if row.thread.startswith("match:")}
    matches = {match.thread: match for match in _seen_matches(user, numbers).values()}
    return [_tell_sent(row, matches.get(row.thread)) for row in rows]


_LOST = {
    DeliveryEvent.Kind.SOFT_BOUNCE,
    DeliveryEvent.Kind.HARD_BOUNCE,
    DeliveryEvent.Kind.REJECTED,
}


def _tell_sent(row: OutboxMessage, match: Match | None) -> MailToPlayer:
    # A mail that came back is sent again to another address: what was said of the former counts no more.
    reports = [each for each in row.delivery_events.all() if each.address == row.to]
    last = reports[-1] if reports and row.state == OutboxMessage.State.SENT else None
    return MailToPlayer(
        at=row.sent_at or row.created_at,
        match=match,
        about=name_kind(row.kind),
        way=row.get_route_display() if row.route == OutboxMessage.Route.CHANNEL else row.to,
        state=row.get_state_display(),
        is_lost=row.state == OutboxMessage.State.FAILED or (last is not None and last.kind in _LOST),
        reports=last.get_kind_display() if last else "",
    )


def name_kind(kind: str) -> str:
    """The news that a kind of mail brings."""
    return gettext(_KINDS[kind])


_SITTER = gettext_noop("about a sitter")
_EVENT = gettext_noop("news of an event")
_REPLACING = gettext_noop("about replacing a player")
_MODERATORS = gettext_noop("from the moderators")
_CLUB_MAIL = gettext_noop("mail of a club")
_KINDS: Mapping[str, str] = {
    "turn": gettext_noop("your turn"),
    "reminder": gettext_noop("a reminder of your turn"),
    "vacation-ends": gettext_noop("the end of your vacation"),
    "timeout": gettext_noop("your time ran out"),
    "away": gettext_noop("bots play for you"),
    "replaced": gettext_noop("somebody else has your seat"),
    "seat-given": gettext_noop("a seat is yours"),
    "started": gettext_noop("the match begins"),
    "finished": gettext_noop("the match is over"),
    "cancelled": gettext_noop("the table does not play"),
    "terms-changed": gettext_noop("other terms for a table"),
    "removed": gettext_noop("the host removed you from a table"),
    "restored": gettext_noop("moves were put back"),
    "undo": gettext_noop("moves are to be taken back"),
    "holiday": gettext_noop("days off for the table"),
    "talk": gettext_noop("talk at the table"),
    "cut-off": gettext_noop("mail to another player comes back"),
    **dict.fromkeys(("sit-asked", "sit-answered", "sit-over"), _SITTER),
    **dict.fromkeys(("season-started", "season-over", "season-off", "event-decision"), _EVENT),
    **dict.fromkeys(("replace-asked", "replace-answered"), _REPLACING),
    "club-notice": gettext_noop("news of a club"),
    **dict.fromkeys(("club-mail", "club-digest"), _CLUB_MAIL),
    "receipt": gettext_noop("the answer to a mail of yours"),
    "held": gettext_noop("the question whether a mail was yours"),
    "digest": gettext_noop("the daily digest"),
    "invitation": gettext_noop("an invitation"),
    "report": gettext_noop("a report, for the moderators"),
    "report-answer": gettext_noop("the answer to your report"),
    **dict.fromkeys(("banned", "reopened", "cleared", "muted"), _MODERATORS),
    "hint": gettext_noop("a hint"),
    "review": gettext_noop("a review"),
    "puzzle": gettext_noop("the puzzle of the day"),
    "sign-up": gettext_noop("the question of your sign-up"),
    "account": gettext_noop("a code, or news of your account"),
    "postmaster": gettext_noop("mail to those who run the server"),
    "channel-test": gettext_noop("a trial of a channel"),
}
