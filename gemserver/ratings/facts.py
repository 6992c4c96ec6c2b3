"""Reads from the records of a finished match what ratings must know of it: who counts for each seat, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from games.record import RESIGN
from gemserver.accounts.models import User
from gemserver.matches.actions.tables.set_rated import is_unequal
from gemserver.matches.models import Departure, Match, Move, SealedOrder, Seat, StoredPlan
from gemserver.ratings.models import Contender, RatingChange, VoidedResult
from gemserver.ratings.verdict import Facts, Player, SeatFacts, Vacancy, Why

BY_HAND = frozenset({Move.Source.WEB, Move.Source.MAIL, Move.Source.API})
DECIDED = BY_HAND | {Move.Source.PLAN}
"""The sources of moves that a player decided, now or in advance."""
NOT_ANSWERED = frozenset({Move.Source.CLOCK, Move.Source.BOT})
"""The sources of moves that were made for a player who did not answer."""
MOST_MISSES = 2
"""So many moves at the end that others made for the player are an absence."""


@dataclass(frozen=True, slots=True)
class Erased:
    """A player whose account was erased after the match had been rated: only ratings say how they fared."""

    contender: Contender
    why: Why
    absent_since: datetime | None


def read_facts(match: Match, erased: Mapping[int, Erased] | None = None) -> Facts:
    """Gather the facts of a finished match.

    `erased`: those by seat who were known when the match was rated, and whom its records no longer name.
    """
    seats = match.read_seats()
    departures: dict[int, list[Departure]] = {}
    for departure in Departure.objects.filter(seat__match=match).select_related("user").order_by("at", "pk"):
        departures.setdefault(departure.seat_id, []).append(departure)
    moves = list(match.moves.filter(voided_at=None).exclude(text=RESIGN).order_by("ply"))
    players = _Players(
        [seat.user for seat in seats] + [row.user for rows in departures.values() for row in rows]
    )
    facts = []
    for seat in seats:
        theirs = [move for move in moves if move.seat == seat.index]
        if known := (erased or {}).get(seat.index):
            facts.append(_recall_seat(seat, theirs, known))
        else:
            facts.append(_read_seat(match, seat, departures.get(seat.pk, []), theirs, players))
    return Facts(
        ending=match.ending,
        is_voided=VoidedResult.objects.filter(match=match).exists(),
        is_unequal=is_unequal(match),
        seats=facts,
    )


class _Players:
    """The accounts of a match, as players."""

    def __init__(self, users: Sequence[User | None]) -> None:
        known = Contender.objects.filter(user__in={user.pk for user in users if user})
        self._contenders = {contender.user_id: contender for contender in known}

    def of(self, user: User | None) -> Player | None:
        if user is None:
            return None
        return Player(user.pk, self._contenders.get(user.pk), user.family, user.is_bot, user.is_guest)


def _read_seat(
    match: Match, seat: Seat, departures: Sequence[Departure], moves: Sequence[Move], players: _Players
) -> SeatFacts:
    why, player, left_at = _find_player(match, seat, departures, players)
    if left_at is not None:
        moves = [move for move in moves if move.created_at <= left_at]
    elif why is Why.PLAYED and (missed := _missed_at_end(moves)):
        why, left_at = Why.ABSENT, missed[-1].created_at
    absent_since = None
    account = player.user if isinstance(player, Player) else None
    if why in (Why.TIME, Why.ABSENT) and left_at is not None and account is not None:
        absent_since = _last_seen(account, left_at)
    return SeatFacts(
        index=seat.index,
        player=player,
        rank=seat.rank or 0,
        why=why,
        moves=_count_decided(moves),
        absent_since=absent_since,
    )


def _recall_seat(seat: Seat, moves: Sequence[Move], erased: Erased) -> SeatFacts:
    """The facts of a seat that its records do not name the player of any more."""
    player = Player(None, erased.contender, None, erased.contender.is_bot)
    decided = _count_decided(moves)
    return SeatFacts(seat.index, player, seat.rank or 0, erased.why, decided, erased.absent_since)


def _count_decided(moves: Iterable[Move]) -> int:
    return sum(move.source in DECIDED for move in moves)


def _find_player(
    match: Match, seat: Seat, departures: Sequence[Departure], players: _Players
) -> tuple[RatingChange.Why, Player | Vacancy, datetime | None]:
    """Whoever counts for the seat, how they fared, and when they left it, if they did.

    That is the player who sat there first, never a substitute. One who has come back to the seat has not left it.
    """
    if seat.is_away and (left_at := _out_of_time(match, seat)):
        return Why.TIME, players.of(seat.user) or Vacancy.REMOVED, left_at
    if not departures:
        return _why_at_end(match, seat), players.of(seat.user) or _vacancy(seat), None
    first = departures[0].user_id
    if first is not None and first == seat.user_id:
        return _why_at_end(match, seat), players.of(seat.user) or Vacancy.REMOVED, None
    left = [departure for departure in departures if departure.user_id == first][-1]
    if left.why == Departure.Why.MODERATOR:
        return Why.PLAYED, Vacancy.MODERATOR, left.at
    why = Why.TIME if left.why == Departure.Why.TIME else Why.RESIGNED
    return why, players.of(left.user) or Vacancy.REMOVED, left.at


def _out_of_time(match: Match, seat: Seat) -> datetime | None:
    """When the player's time for the whole match was used up; None if only the match's end let bots play."""
    told = match.notices.filter(kind="away", key__startswith=f"away:{seat.index}:").order_by("-pk").first()
    if told is None or (match.play_until is not None and told.created_at >= match.play_until):
        return None
    return told.created_at


def _why_at_end(match: Match, seat: Seat) -> RatingChange.Why:
    has_resigned = match.ending == Match.Ending.RESIGNED and seat.rank != 1
    return Why.RESIGNED if has_resigned else Why.PLAYED


def _vacancy(seat: Seat) -> Vacancy:
    return Vacancy.BOT if seat.bot else Vacancy.REMOVED


def _missed_at_end(moves: Sequence[Move]) -> list[Move]:
    """The moves at the end that others made because the player did not answer, if these are an absence."""
    chosen = [move for move in moves if move.source != Move.Source.FORCED]
    missed: list[Move] = []
    while chosen and chosen[-1].source in NOT_ANSWERED:
        missed.insert(0, chosen.pop())
    return missed if len(missed) >= MOST_MISSES else []


def _last_seen(user: int, until: datetime) -> datetime:
    """When the player last moved, ordered or planned anything in any match, else when they signed up.

    A move of a match at sealed pace counts by its order, because it is played when all orders are in.
    """
    moved = Move.objects.filter(actor=user, source__in=BY_HAND, created_at__lte=until)
    ordered = SealedOrder.objects.filter(user=user, source__in=BY_HAND, placed_at__lte=until)
    planned = StoredPlan.objects.filter(user=user, stored_at__lte=until)
    seen = [
        *moved.exclude(match__options__contains="pace=sealed")
        .order_by("-created_at")
        .values_list("created_at", flat=True)[:1],
        *ordered.order_by("-placed_at").values_list("placed_at", flat=True)[:1],
        *planned.order_by("-stored_at").values_list("stored_at", flat=True)[:1],
    ]
    if seen:
        return max(seen)
    return User.objects.values_list("date_joined", flat=True).get(pk=user)
