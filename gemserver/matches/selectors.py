"""Queries about matches for pages, mails and exports; each answer is built for one reader."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

from django.db.models import CharField, DateField, Exists, Max, Min, OuterRef, Q, QuerySet
from django.utils import translation

from games import registry
from games.chance import NO_SEED, Chance
from games.contract import Event
from games.record import RESIGN
from games.suggesting import suggest_few
from gemserver.accounts.models import User, Vacation
from gemserver.lib.prepared import Param, ParamSet, Prepared
from gemserver.lib.translator import translator
from gemserver.matches import codec, log_order, notices, prompts, replay
from gemserver.matches.models import Departure, Holiday, Match, Move, Notice, Seat, Sitting, Stop, StoredPlan
from gemserver.matches.privacy import open_to
from gemserver.matches.sitters import knowing_another_seat
from gemserver.matches.tables import has_block


def find_plies(matches: Collection[int]) -> dict[int, int]:
    """The present ply of each of these matches (primary keys)."""
    return dict(Match.objects.filter(pk__in=matches).values_list("pk", "ply"))


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

    @property
    def tells_ply(self) -> bool:
        """True if it tells what its ply was, a move or a resignation, and not only what came of it."""
        return self.seat is not None or self.is_resignation

    @property
    def text(self) -> str:
        """The sentences in one line, marked if the move was taken back."""
        mark = [translation.gettext("(taken back)")] if self.is_taken_back else []
        return " ".join([*self.sentences, *mark])


def names(match: Match) -> list[str]:
    """The players' names in seat order."""
    return [seat.name for seat in match.seats.select_related("user").order_by("index")]


def view_for(match: Match, seat: Seat | None) -> Any:
    """The view of the present position from this seat (None: a spectator's)."""
    return match.rules.view(replay.position(match), seat.index if seat else None)


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
        for row in rows:
            row.match = match
        told = [row for row in rows if isinstance(row, Move) or row.kind not in notices.PROOFS]
        found_notices = [row for row in rows if isinstance(row, Notice)]
        seats = match.read_seats() if seats is None else seats
        _read_others([row for row in rows if isinstance(row, Move)], seats)
        return cls(seats, told, is_part, found_notices)

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
    entries = tell_history(match, seat, LogRows.read(match, after_ply=after_ply))
    return [entry for entry in entries if entry.seat is not None]


def history(match: Match, seat: Seat | None, *, after_ply: int = 0) -> list[LogEntry]:
    """The log in the order of events, with notices and moves that were taken back.

    It begins after the live move `after_ply`.
    """
    return tell_history(match, seat, LogRows.read(match, after_ply=after_ply))


def tell_history(match: Match, seat: Seat | None, rows: LogRows, *, is_own: bool = True) -> list[LogEntry]:
    """Like `history`, from rows that were read before.

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
                )
            )
            is_told |= resignation is not None
            continue
        resigned, is_told = row if row.text == RESIGN else None, False
        if entry := _tell_move(row, seat, rows.seats, players, you):
            entries.append(entry)
    return entries


def tell_moves(match: Match, seat: Seat, rows: LogRows, ply: int) -> Sequence[str]:
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
    words = move.match.words
    sentences = tuple(words.describe(event, translator(), players, addressed) for event in events)
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


def public_moves(match: Match) -> QuerySet[Move]:
    """The live moves whose text is public, in order: all but those that still lie face down."""
    live = match.moves.filter(voided_at=None).order_by("ply")
    last_open = _open_moves(live).aggregate(ply=Max("ply"))["ply"] or 0
    return live.exclude(is_sealed=True, ply__gt=last_open)


def is_public(move: Move) -> bool:
    """True if the text of this move is public: it was played openly, or has been turned over since.

    A move that was taken back stays as public or secret as it was then, even after the match.
    """
    if not move.is_sealed:
        return True
    if move.voided_at is None:
        later = move.match.moves.filter(voided_at=None, ply__gt=move.ply)
        return move.match.is_over or _open_moves(later).exists()
    later = move.match.moves.filter(pk__gt=move.pk, ply__gt=move.ply)
    anew = move.match.moves.filter(pk__gt=move.pk, ply__lte=move.ply).aggregate(pk=Min("pk"))["pk"]
    return _open_moves(later.filter(pk__lt=anew) if anew else later.exclude(voided_at=None)).exists()


def _open_moves(moves: QuerySet[Move]) -> QuerySet[Move]:
    """The moves that turn over what lay face down before them; a resignation turns nothing over."""
    return moves.filter(is_sealed=False).exclude(text=RESIGN)


def ended_plan(seat: Seat, ply: int) -> StoredPlan | None:
    """The player's own plan that had no answer to the prompt after this ply."""
    if not seat.user_id:
        return None
    return next(iter(_ended_plans(match=seat.match_id, seat=seat.index, user=seat.user_id, ply=ply)), None)


_ended_plans = Prepared(
    lambda: StoredPlan.objects.filter(
        match=Param("match"),
        seat=Param("seat"),
        user=Param("user"),
        end__in=StoredPlan.STUCK,
        ended_ply=Param("ply"),
    ).order_by("-pk")[:1]
)


def last_ply_of(match: Match, seat: Seat) -> int:
    """The ply of the seat's own last move, 0 if there is none; everything later is news to its player."""
    return next(iter(_last_plies(match=match.pk, seat=seat.index)), 0)


_last_plies = Prepared(
    lambda: (
        Move.objects.filter(match=Param("match"), seat=Param("seat"), voided_at=None)
        .exclude(source=Move.Source.FORCED)
        .order_by("-ply")
        .values_list("ply", flat=True)[:1]
    )
)


def is_new_to(game: str, seat: Seat) -> bool:
    """True if a person holds the seat who has never moved in this game, here or in another match."""
    return seat.user_id is not None and not _moves_in(user=seat.user_id, game=game)


_moves_in = Prepared(
    lambda: Move.objects.filter(actor=Param("user"), match__game=Param("game", CharField())).values_list(
        "pk"
    )[:1]
)


def legal_texts(match: Match, seat: Seat, limit: int) -> Sequence[str] | None:
    """The seat's possible answers in notation, in canonical order; None if there are more than `limit`."""
    texts: list[str] = []
    position = prompts.position_to_answer(match, replay.position(match), seat.index)
    for move in match.rules.legal_moves(position, seat.index):
        if len(texts) == limit:
            return None
        texts.append(match.rules.write(move))
    return texts


def likely_texts(match: Match, seat: Seat, number: int, longest: int) -> Sequence[str]:
    """A few good answers of the seat in notation, from what it may know; which of them is the best is not said.

    Those of more than `longest` signs are left out.
    """
    position = prompts.position_to_answer(match, replay.position(match), seat.index)
    chance = Chance(NO_SEED, f"likely {match.code} {match.ply}")
    return suggest_few(registry.game(match.game), position, seat.index, chance, number, longest)


def own_matches(user: User) -> QuerySet[Match]:
    """The running matches that the user takes part in: as a player, or as a sitter, even one who has yet to begin."""
    seated = Seat.objects.filter(user=user).order_by().values("match")
    sitting = Sitting.objects.filter(sitter=user, ended_at=None).values("seat__match")
    return Match.objects.filter(pk__in=seated.union(sitting), status=Match.Status.RUNNING)


def is_party(user: User, match: Match) -> bool:
    """True if the user takes part in this match while it runs, as in `own_matches`."""
    return own_matches(user).filter(pk=match.pk).exists()


def has_played(user: User, match: Match) -> bool:
    """True if the user holds a seat of this match, or has left one."""
    is_theirs = Q(user=user) | Q(departures__user=user)
    return Seat.objects.filter(is_theirs, match=match).exists()


def tablemates(user: User) -> QuerySet[User]:
    """Everybody else who takes part in one of the user's running matches."""
    own = own_matches(user).values("pk")
    seated = Seat.objects.filter(match__in=own).order_by().values("user")
    sitting = Sitting.objects.filter(seat__match__in=own, ended_at=None).values("sitter")
    return User.objects.filter(pk__in=seated.union(sitting)).exclude(pk=user.pk)


def vacations_at(seats: Iterable[Seat], today: date) -> dict[int, Vacation]:
    """The present or next vacation of each player in these seats of a match, by seat index, if there is one."""
    holders = {seat.user_id: seat.index for seat in seats if seat.user_id is not None}
    return {holders[row.user_id]: row for row in _vacations_from(users=holders, today=today)}


_vacations_from = Prepared(
    lambda: Vacation.objects.filter(
        user__in=ParamSet("users"), last__gte=Param("today", DateField())
    ).order_by("-first")
)


def open_proposal(match: Match) -> Holiday | None:
    """The proposed holiday that the table has not settled yet."""
    proposals = (row for row in holidays_of(match) if row.outcome == Holiday.Outcome.OPEN)
    return next(proposals, None)


def holidays_of(match: Match) -> list[Holiday]:
    """The holidays of the table that are proposed or agreed, the first to come first."""
    found = list(_holidays(match=match.pk))
    for holiday in found:
        holiday.match = match
    return found


_holidays = Prepared(
    lambda: (
        Holiday.objects.filter(match=Param("match"))
        .exclude(outcome=Holiday.Outcome.REFUSED)
        .order_by("first", "pk")
    )
)


def is_paused(match: Match) -> bool:
    """True while a moderator's pause stops all clocks of the match."""
    return match.stops.filter(end=None, reason=Stop.Reason.PAUSE).exists()


def open_seats(user: User | None) -> QuerySet[Seat]:
    """The seats at tables for anyone that this user may take over (None: a stranger), of the oldest matches first.

    Seats in a club's matches are for its members. None of them is refused by `who_may_sit`.
    """
    seats = Seat.objects.filter(open_to(user, "match__"), is_open=True, match__status=Match.Status.RUNNING)
    seats = seats.filter(match__access=Match.Access.ANYONE)
    if user is not None:
        resigned = Departure.objects.filter(seat=OuterRef("pk"), user=user, why=Departure.Why.RESIGNED)
        seats = seats.exclude(knowing_another_seat(user)).exclude(Exists(resigned)).exclude(has_block(user))
        if user.is_bot:
            seats = seats.filter(match__allows_bots=True)
    return seats.select_related("match").order_by("match", "index")
