"""The log of a match: its moves and notices as one reader may see them, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from django.db.models import Q, QuerySet
from django.utils import translation

from games.contract import Event
from games.record import RESIGN
from gemserver.accounts.models import User
from gemserver.lib.database.prepared import Param, ParamSet, Prepared
from gemserver.lib.text.translator import translator
from gemserver.matches import codec
from gemserver.matches.log import log_order, notices
from gemserver.matches.models import Match, Move, Notice, Seat
from gemserver.matches.selectors import last_ply_of


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the log as one reader may see it: a ply in words, or a notice after that ply."""

    ply: int
    seat: int | None
    """None for a notice."""
    source: str
    created_at: datetime
    sentences: tuple[str, ...]
    played_by: str = ""
    """The mover's name, if it was not the present holder of the seat: a sitter, or an earlier player."""
    is_taken_back: bool = False
    key: int = 0
    """The primary key of its row, among moves or among notices."""
    events: tuple[Event, ...] = ()
    """The events that the sentences tell, one for each."""
    first_ply: int = 0
    """The first of the plies that it tells about, if they are several."""
    is_resignation: bool = False
    """True for the notice of a resignation that is a ply of its own."""
    undone_from: int = 0
    """The first of the plies that were taken back, for a notice of that."""

    @property
    def tells_ply(self) -> bool:
        """True if it tells what its ply was, a move or a resignation, and not only what came of it."""
        return self.seat is not None or self.is_resignation

    @property
    def text(self) -> str:
        """The sentences in one line, marked if the move was taken back."""
        mark = [translation.gettext("(taken back)")] if self.is_taken_back else []
        return " ".join([*self.sentences, *mark])


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the log of a match: so many of its moves, void ones too, and of its notices lie before it.

    Both are only ever added, and whoever adds one holds the match's lock. So the same rows lie before it for good.
    """

    moves: int = 0
    notices: int = 0

    def is_behind(self, other: Place) -> bool:
        return self.moves > other.moves or self.notices > other.notices


@dataclass(frozen=True, slots=True)
class LogRows:
    """The rows behind a log, read once: all seats, and the moves (void ones too) and notices in order."""

    seats: Sequence[Seat]
    rows: Sequence[Move | Notice]
    is_part: bool = False
    """True if some rows were left out."""
    notices: Sequence[Notice] = ()
    """All notices that were read, those that are no rows of the log too."""

    @classmethod
    def read(
        cls,
        match: Match,
        *,
        after_ply: int = 0,
        seats: Sequence[Seat] | None = None,
        newest: int | None = None,
    ) -> LogRows:
        """Read the rows after that live move.

        `seats`: the match's seats, if the caller has read them already. `newest`: read only this number of live moves,
        the last ones.
        """
        if newest is None:
            found = _moves_after(match=match.pk, ply=after_ply)
        else:
            found = _newest_moves(newest + 1)(match=match.pk, ply=after_ply)
        moves, is_part = found[:newest], newest is not None and len(found) > newest
        said = _notices_after(match=match.pk, ply=after_ply)
        if any(notice.kind in log_order.TAKING_BACK for notice in said):
            if after_ply:
                moves, said = _moves_after(match=match.pk, ply=0), _notices_after(match=match.pk, ply=0)
            first = moves[-1].pk if is_part else 0
            moves = [*moves, *(move for move in _void_moves(match=match.pk) if move.pk > first)]
        rows = log_order.since(log_order.in_order(moves, said, match.ply), after_ply)
        return cls._of(match, rows, seats, is_part)

    @classmethod
    def read_added(cls, match: Match, known: Place) -> tuple[LogRows, Place]:
        """Read the rows that were added behind this place, and where they end."""
        # First the moves: those that took others back are committed later than the notice that says so.
        moves = sorted(Move.objects.filter(match=match).order_by().values_list("pk", flat=True))
        told = Notice.objects.filter(match=match).exclude(kind__in=notices.PROOFS)
        said = sorted(told.order_by().values_list("pk", flat=True))
        added = Move.objects.filter(pk__in=moves[known.moves :]).order_by("pk")
        posted = Notice.objects.filter(pk__in=said[known.notices :]).order_by("pk")
        rows = log_order.in_order(list(added), list(posted), match.ply)
        return cls._of(match, rows, None, known != Place()), Place(len(moves), len(said))

    def after(self, ply: int) -> LogRows:
        """Keep the rows after that live move."""
        kept = log_order.since(self.rows, ply)
        return LogRows(self.seats, kept, self.is_part or len(kept) < len(self.rows), self.notices)

    @classmethod
    def _of(
        cls,
        match: Match,
        rows: Sequence[Move | Notice],
        seats: Sequence[Seat] | None,
        is_part: bool,
    ) -> LogRows:
        """The log of these rows, which are in order."""
        for row in rows:
            row.match = match
        told = [row for row in rows if isinstance(row, Move) or row.kind not in notices.PROOFS]
        found_notices = [row for row in rows if isinstance(row, Notice)]
        seats = match.read_seats() if seats is None else seats
        _read_others([row for row in rows if isinstance(row, Move)], seats)
        return cls(seats, told, is_part, found_notices)

    def since_move(self, ply: int) -> LogRows:
        """Keep the rows from that live move on, or after it if it lies face down: then it has set nothing off."""
        for at, row in enumerate(self.rows):
            if isinstance(row, Move) and row.voided_at is None and row.ply == ply:
                kept = self.rows[at + 1 :] if row.is_sealed else self.rows[at:]
                return LogRows(self.seats, kept, self.is_part, self.notices)
        return self

    def around(self, ply: int, number: int, *, last: int | None = None) -> LogRows:
        """Keep `number` rows around that ply: at most half of them after it, the others up to it.

        With `last`, keep also as many around each ply up to that one.
        """
        start, end = self._bounds_around(ply, number)
        if last is not None:
            end = self._bounds_around(last, number)[1]
        kept = self.rows[start:end]
        return LogRows(self.seats, kept, self.is_part or len(kept) < len(self.rows), self.notices)

    def _bounds_around(self, ply: int, number: int) -> tuple[int, int]:
        end = min(log_order.up_to(self.rows, ply) + number // 2, len(self.rows))
        return max(end - number, 0), max(end, number)

    def last_moves(self, reader: Seat | None, *, up_to: int) -> dict[int, str]:
        """The text of the last move of each seat up to that ply, of those whose text this reader may know."""
        found: dict[int, str] = {}
        is_turned_over = all(seat.match.is_over for seat in self.seats)
        for move in reversed(self.rows):
            if not isinstance(move, Move) or move.voided_at is not None or move.text == RESIGN:
                continue
            is_turned_over |= not move.is_sealed
            if move.ply <= up_to and (is_turned_over or (reader is not None and reader.index == move.seat)):
                found.setdefault(move.seat, move.text)
        return found

    def last_ply_of(self, seat: Seat) -> int:
        """Like the function `last_ply_of`."""
        live = (row for row in reversed(self.rows) if isinstance(row, Move) and row.voided_at is None)
        own = (move for move in live if move.seat == seat.index)
        found = next((move.ply for move in own if move.source != Move.Source.FORCED), None)
        if found is None:
            return last_ply_of(seat.match, seat) if self.is_part else 0
        return found


def _read_others(moves: Sequence[Move], seats: Sequence[Seat]) -> None:
    """Read who made the moves that the present players of the seats did not make: only those are named."""
    others = [move for move in moves if _is_others(move, seats)]
    if not others:
        return
    accounts: dict[int | None, User] = {
        user.pk: user for user in _accounts(pks={move.actor_id for move in others})
    }
    for move in others:
        move.actor = accounts.get(move.actor_id)


def _is_others(move: Move, seats: Sequence[Seat]) -> bool:
    """True if somebody made the move who does not hold its seat now."""
    return move.actor_id not in (None, seats[move.seat].user_id)


_accounts = Prepared(lambda: User.objects.filter(pk__in=ParamSet("pks")))


def _live_moves_after() -> QuerySet[Move]:
    """The latest first."""
    live = Move.objects.filter(voided_at=None).order_by("-ply")
    return live.filter(match=Param("match"), ply__gt=Param("ply"))


@cache
def _newest_moves(number: int) -> Prepared[Move]:
    return Prepared(lambda: _live_moves_after()[:number])


_moves_after = Prepared(_live_moves_after)


_void_moves = Prepared(lambda: Move.objects.exclude(voided_at=None).filter(match=Param("match")))


_notices_after = Prepared(
    lambda: Notice.objects.filter(
        Q(ply__gte=Param("ply")) | Q(kind__in=log_order.TAKING_BACK), match=Param("match")
    ).order_by("pk")
)
"""The notices after that ply, and all those that took moves back."""


def log(match: Match, seat: Seat | None, *, after_ply: int = 0) -> list[LogEntry]:
    """The moves after the live move `after_ply`, in the active language.

    Only with events that this seat may know; a move without any is left out. A move that was taken back shows what it
    showed then.
    """
    entries = tell_history(seat, LogRows.read(match, after_ply=after_ply))
    return [entry for entry in entries if entry.seat is not None]


def tell_history(seat: Seat | None, rows: LogRows, *, is_own: bool = True) -> list[LogEntry]:
    """The log in the order of events, with notices and moves that were taken back.

    `is_own`: the reader holds that seat and is addressed; False for its sitter, who reads the player's name.
    """
    players = [seat.name for seat in rows.seats]
    you = seat.index if seat and is_own else None
    entries = []
    resigned: Move | None = None
    is_told = False  # that resignation, which a substitute may repeat without a ply
    for row in rows.rows:
        if isinstance(row, Notice):
            resignation = resigned if row.kind in notices.RESIGNATIONS else None
            told = (notices.sentence(row, players, you),)
            first = int(row.data["from_ply"]) if row.kind == "settled" else 0
            entries.append(
                LogEntry(
                    row.ply,
                    None,
                    "",
                    row.created_at,
                    told,
                    is_taken_back=resignation is not None and bool(resignation.voided_at),
                    key=row.pk,
                    first_ply=first,
                    is_resignation=resignation is not None and not is_told,
                    undone_from=int(row.data["from_ply"]) if row.kind in log_order.TAKING_BACK else 0,
                )
            )
            is_told |= resignation is not None
            continue
        resigned, is_told = row if row.text == RESIGN else None, False
        if entry := _tell_move(row, seat, rows.seats, players, you):
            entries.append(entry)
    return entries


def tell_moves(seat: Seat, rows: LogRows, ply: int) -> Sequence[str]:
    """The sentences of the live move with this number, to the holder of the seat; empty if it is not in the rows."""
    players = [each.name for each in rows.seats]
    found = [
        _tell_move(row, seat, rows.seats, players, seat.index)
        for row in rows.rows
        if isinstance(row, Move) and row.voided_at is None and row.ply == ply
    ]
    return [sentence for entry in found if entry for sentence in entry.sentences]


def tell_own(move: Move, seats: Sequence[Seat]) -> list[str]:
    """The sentences about its own player's doings, for whoever made the move; what befell others is left out.

    `seats`: all seats of the match.
    """
    entry = _tell_move(move, seats[move.seat], seats, [seat.name for seat in seats], move.seat)
    if entry is None:
        return []
    told = zip(entry.events, entry.sentences, strict=True)
    return [sentence for event, sentence in told if event.seat == move.seat]


def _tell_move(
    move: Move, reader: Seat | None, seats: Sequence[Seat], players: Sequence[str], you: int | None
) -> LogEntry | None:
    """The log entry of a move for this reader; None if the reader may know nothing of it."""
    index = reader.index if reader else None
    events = tuple(event for event in codec.load_events(move.events) if event.visible_to(index))
    if not events:
        return None
    is_others = _is_others(move, seats)
    addressed = None if is_others and move.seat == you else you
    words, tr = move.match.words, translator()
    sentences = tuple(words.describe(event, tr, players, addressed) for event in events)
    return LogEntry(
        move.ply,
        move.seat,
        move.source,
        move.created_at,
        sentences,
        move.actor.shown_name if is_others and move.actor else "",
        is_taken_back=move.voided_at is not None,
        key=move.pk,
        events=events,
    )
