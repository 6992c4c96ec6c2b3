"""Everything that happened in one match, in order: mails and their results, moves, talk, notices, actions.

For people who take no part in it. Secrets of a running contest appear here only once it is settled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from games.contract import seat_letter
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult
from gemserver.inbox.verdict_words import say_outcome
from gemserver.lib.text.redaction import redact
from gemserver.lib.text.translator import translator
from gemserver.mailgate.disclosure import Disclosure, kind_of
from gemserver.matches import codec, selectors
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Move
from gemserver.matches.words.clocks import span
from gemserver.moderation.actions import say_verb
from gemserver.moderation.mail_kinds import say_kind
from gemserver.moderation.models import AuditEntry
from gemserver.notify.models import OutboxMessage


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a mail as it was read: its text (or its kind), its outcome, and the reason."""

    text: str
    outcome: str
    why: str


@dataclass(slots=True)
class TimelineEntry:
    """One thing that happened, and the mails that followed it."""

    at: datetime
    kind: str
    """`mail`, `move`, `talk`, `notice`, `action`."""
    title: str
    who: str = ""
    details: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    clock: tuple[timedelta, timedelta] | None = None
    """The mover's bank when the move was asked for, and after the answer."""
    is_void: bool = False
    pk: int = 0
    sent: list[tuple[str, OutboxMessage]] = field(default_factory=list)
    """Mails, each with the words for its kind."""

    @property
    def clock_text(self) -> str:
        """`clock` as `2 days 3 hours → 3 days`; empty if no clock was stopped."""
        return " → ".join(span(time) for time in self.clock) if self.clock else ""


def read_timeline(match: Match) -> list[TimelineEntry]:
    """The entries of a match, oldest first."""
    names = selectors.names(match)
    entries = [
        *_incoming(match),
        *_moves(match, names),
        *_talk(match, names),
        *(
            TimelineEntry(notice.created_at, "notice", notices.sentence(notice, names))
            for notice in match.notices.all()
        ),
        *_moderator_actions(match),
    ]
    if match.started_at:
        entries.append(TimelineEntry(match.started_at, "notice", _("The match begins.")))
    entries.sort(key=lambda entry: (entry.at, entry.kind != "notice"))
    _add_mails(match, entries)
    return entries


def _incoming(match: Match) -> Iterator[TimelineEntry]:
    disclosure = Disclosure(match)
    rows = InboundEmail.objects.filter(seat__match=match).select_related("seat__user", "user")
    for row in rows.order_by("received_at", "pk"):
        assert row.seat is not None
        is_open = disclosure.may_read(row)
        proof = ", ".join(f"{name} {verdict}" for name, verdict in sorted(row.auth.items()))
        yield TimelineEntry(
            row.received_at,
            "mail",
            _("Mail by %(way)s: %(state)s") % {"way": row.source, "state": row.get_state_display()},
            f"{seat_letter(row.seat.index)} {row.user.shown_name if row.user else redact(row.sender)}",
            [text for text in (row.code, proof) if text],
            [_line(LineResult.from_json(result), is_open) for result in row.results],
            pk=row.pk,
        )


def _line(result: LineResult, is_open: bool) -> Line:
    if is_open:
        return Line(redact(result.line), say_outcome(result.outcome), redact(result.sentence) or result.code)
    return Line(
        _("(%(kind)s, hidden for now)") % {"kind": kind_of(result.line)},
        say_outcome(result.outcome),
        result.code,
    )


def _moves(match: Match, names: Sequence[str]) -> Iterator[TimelineEntry]:
    moves = list(match.moves.select_related("actor").order_by("created_at", "pk"))
    clocks = _clocks(match, moves)
    for move in moves:
        move.match = match
        is_open = selectors.is_public(move)
        events = [event for event in codec.load_events(move.events) if event.visible_to(None)]
        yield TimelineEntry(
            move.created_at,
            "move",
            f"{move.ply} {seat_letter(move.seat)} {move.text}" if is_open else _face_down(move),
            f"{move.actor.shown_name if move.actor else names[move.seat]} ({move.get_source_display()})",
            [match.words.describe(event, translator(), names) for event in events],
            clock=clocks.get(move.pk),
            is_void=move.voided_at is not None,
        )


def _talk(match: Match, names: Sequence[str]) -> Iterator[TimelineEntry]:
    """The messages at the table. `is_void`: removed, so that nobody else is shown it any more."""
    for message in match.messages.select_related("author"):
        author = message.author.shown_name if message.author else names[message.seat]
        yield TimelineEntry(
            message.created_at,
            "talk",
            message.text,
            f"{seat_letter(message.seat)} {author}",
            is_void=message.removed_at is not None,
            pk=message.pk,
        )


def _clocks(match: Match, moves: Sequence[Move]) -> dict[int, tuple[timedelta, timedelta]]:
    """By move: the mover's bank when the move was asked for, and when the next one was (or now)."""
    after = dict(match.seats.values_list("index", "clock_left"))
    found = {}
    for move in reversed(moves):
        if move.clock_before is not None:
            found[move.pk] = move.clock_before, after[move.seat]
            after[move.seat] = move.clock_before
    return found


def _face_down(move: Move) -> str:
    return _("%(ply)s %(seat)s a move that lies face down") % {
        "ply": move.ply,
        "seat": seat_letter(move.seat),
    }


def _moderator_actions(match: Match) -> Iterator[TimelineEntry]:
    for entry in AuditEntry.objects.filter(match=match.code).order_by("number"):
        details = [entry.reason, *entry.changes]
        yield TimelineEntry(
            entry.at,
            "action",
            f"{entry.number}: {say_verb(entry.verb)} {entry.subject}",
            entry.moderator_name,
            details,
        )


def _add_mails(match: Match, entries: list[TimelineEntry]) -> None:
    """Put each queued mail under the last entry before it."""
    if not entries:
        return
    at = 0
    for message in OutboxMessage.objects.filter(thread=match.thread).order_by("created_at", "pk"):
        while at + 1 < len(entries) and entries[at + 1].at <= message.created_at:
            at += 1
        entries[at].sent.append((say_kind(message.kind), message))
