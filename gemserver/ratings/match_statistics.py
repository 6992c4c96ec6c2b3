"""Reads from the rows of one finished match what it adds to the statistics; the same rows give the same."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import lcm
from typing import TypeAlias

from games.contract import GameError
from games.record import RESIGN
from games.replay import NOT_BY_PERSON
from gemserver.matches import replay
from gemserver.matches.log.notices import TAKEOVERS
from gemserver.matches.models import Departure, Match, Move, Notice, SealedOrder, Seat
from gemserver.matches.offered.game_guard import BrokenGame
from gemserver.matches.privacy import began_in_public
from gemserver.ratings.answer_times import class_of
from gemserver.ratings.statistics_models import GameTally, PlayedMatch

log = logging.getLogger(__name__)

WHOLE_WIN = lcm(*range(1, 9))
"""A win in the unit of `GameTally.wins`, which eight winners can divide evenly."""
LONGEST_OPENING = 60
"""First moves with a longer text are not counted: no two of them are alike."""

TallyEntry: TypeAlias = tuple[str, str, int, int]
"""Kind, key, count and wins of a tally, added by one match."""

_TAKEN_BACK = ("voided", "undo-agreed")


def is_public(match: Match) -> bool:
    """True if the match counts in public: it began so, and is no guest's practice. `club`, `created_by` are read."""
    of_guest = match.created_by is not None and match.created_by.is_guest
    return not of_guest and began_in_public(match)


@dataclass(frozen=True, slots=True)
class MatchStatistics:
    """The rows that a match is counted as: none if it is not public, and no `results` if it was practice."""

    is_public: bool
    results: list[PlayedMatch] = field(default_factory=list)
    tally: list[TallyEntry] = field(default_factory=list)


def read_statistics(match: Match) -> MatchStatistics:
    """Read a finished match, with some five queries."""
    if not is_public(match):
        return MatchStatistics(False)
    seats = match.read_seats()
    moves = list(match.moves.filter(voided_at=None).order_by("ply").defer("events"))
    first = _first_seat(match)
    results = [] if _is_practice(match, seats) else _results(match, seats, first, moves)
    return MatchStatistics(True, results, list(_tally(match, seats, first, moves)))


def _is_practice(match: Match, seats: Sequence[Seat]) -> bool:
    """True if one person played, and bots of the server held all other seats from the first.

    Nobody waited for that person, and their results say how strong the bots are.
    """
    left = list(Departure.objects.filter(seat__match=match).values_list("seat", "user"))
    people = [*(seat.user_id for seat in seats if not seat.bot), *(user for _seat, user in left)]
    given_up = {seat for seat, _user in left}
    has_bots = any(seat.bot and seat.pk not in given_up for seat in seats)
    return has_bots and None not in people and len(set(people)) == 1


def _first_seat(match: Match) -> int | None:
    """The seat that began, which the deal has drawn; None where all decide at once, or the game is gone."""
    if not match.is_offered:
        return None
    try:
        asked = match.rules.waiting_on(replay.first_position(match))
    except (BrokenGame, GameError) as error:
        log.warning("%s: nobody can tell who began: %s", match.code, error)
        return None
    return next(iter(asked)) if len(asked) == 1 else None


def _place(seat: int, first: int | None, seats: int) -> int | None:
    return None if first is None else (seat - first) % seats + 1


def _tally(
    match: Match, seats: Sequence[Seat], first: int | None, moves: Sequence[Move]
) -> Iterator[TallyEntry]:
    """Entries that the match adds to the tallies of its game, each once. A match that was cut short adds nothing."""
    if match.ending != Match.Ending.PLAYED_OUT:
        return
    winners = [seat.index for seat in seats if seat.rank == 1]
    share = WHOLE_WIN // len(winners)
    if first is not None:
        for seat in seats:
            won = share if seat.index in winners else 0
            yield GameTally.Kind.PLACE, str(_place(seat.index, first, len(seats))), 1, won
    yield GameTally.Kind.PLIES, str(match.ply), 1, 0
    if match.dealt_by is None and match.started_at and match.finished_at:
        yield GameTally.Kind.DAYS, str((match.finished_at - match.started_at).days), 1, 0
    openings: dict[int, str] = {}
    for move in moves:
        if move.source != Move.Source.FORCED and move.text != RESIGN:
            openings.setdefault(move.seat, move.text)
            if first is not None:
                break
    texts = Counter(text for text in openings.values() if len(text) <= LONGEST_OPENING)
    for text, count in sorted(texts.items()):
        won = sum(share for seat, played in openings.items() if played == text and seat in winners)
        yield GameTally.Kind.OPENING, text, count, won


@dataclass(frozen=True, slots=True)
class _Tenure:
    """The time in which one person (None: a bot, or an erased account) held a seat."""

    seat: int
    user: int | None
    since: datetime
    until: datetime | None = None
    was_lost: bool = False

    def covers(self, seat: int, at: datetime) -> bool:
        return seat == self.seat and self.since <= at and (self.until is None or at <= self.until)


@dataclass(frozen=True, slots=True)
class _Answer:
    """A question that was answered, or (no `user`) at which the time ran out."""

    seat: int
    user: int | None
    asked: datetime
    at: datetime
    is_timeout: bool


def _results(
    match: Match, seats: Sequence[Seat], first: int | None, moves: Sequence[Move]
) -> list[PlayedMatch]:
    assert match.finished_at is not None
    answers = [] if match.dealt_by is not None else _answers(match, moves)
    mean = sum(seat.score or 0 for seat in seats) / len(seats)
    results: dict[int, PlayedMatch] = {}
    for tenure in _tenures(match, seats):
        seat = seats[tenure.seat]
        if tenure.user is None:
            continue
        result = results.setdefault(
            tenure.user,
            PlayedMatch(
                match=match,
                user_id=tenure.user,
                game=match.game,
                seat_count=match.seat_count,
                place=_place(seat.index, first, len(seats)),
                finished_at=match.finished_at,
            ),
        )
        if seat.user_id == tenure.user:
            result.rank, result.score = seat.rank, seat.score
            result.above_mean = round((seat.score or 0) - mean, 3)
        result.lost_seat |= tenure.was_lost
        own = [answer for answer in answers if tenure.covers(answer.seat, answer.at)]
        given = [answer for answer in own if answer.user == tenure.user]
        result.answers += len(given)
        result.timeouts += sum(answer.is_timeout for answer in own)
        times = Counter(class_of(answer.at - answer.asked) for answer in given)
        result.times = dict(sorted((times + Counter(result.times)).items()))
    return [results[user] for user in sorted(results)]


def _tenures(match: Match, seats: Sequence[Seat]) -> list[_Tenure]:
    """The holders of each seat over time; bots that held one in between have given no answers."""
    began = match.started_at or match.created_at
    left = list(Departure.objects.filter(seat__match=match).order_by("at", "pk"))
    found = []
    for seat in seats:
        since = began
        for row in left:
            if row.seat_id == seat.pk:
                was_lost = row.why == Departure.Why.TIME
                found.append(_Tenure(seat.index, row.user_id, since, row.at, was_lost=was_lost))
                since = row.at
        found.append(_Tenure(seat.index, seat.user_id, since))
    return found


def _answers(match: Match, moves: Sequence[Move]) -> list[_Answer]:
    """The answers to questions, and the times that ran out.

    A move without a request has followed by itself: forced, from a plan, or from a sealed order, which is the answer.
    """
    began = match.started_at or match.created_at
    resets = [
        (int(row.key.split(":")[1]) if row.kind in TAKEOVERS else None, row.created_at)
        for row in Notice.objects.filter(match=match, kind__in=(*TAKEOVERS, *_TAKEN_BACK))
    ]

    def answer(seat: int, user: int | None, asked: datetime, at: datetime, source: str) -> _Answer:
        since = [when for index, when in resets if index in (None, seat) and when <= at]
        is_timeout = source == Move.Source.CLOCK
        return _Answer(seat, None if is_timeout else user, min(at, max([asked, *since])), at, is_timeout)

    counted = {Move.Source.CLOCK, *(set(Move.Source.values) - NOT_BY_PERSON - {Move.Source.PLAN})}
    found, asked = [], began
    given: set[int] = set()
    for move in moves:
        is_own = move.request_id is not None and move.source in counted and move.text != RESIGN
        if is_own and move.seat not in given:
            found.append(answer(move.seat, move.actor_id, asked, move.created_at, move.source))
        given.add(move.seat)
        if not move.is_sealed and move.text != RESIGN:
            asked, given = move.created_at, set()
    for order in _first_versions(match, counted):
        opened = max([began, *(move.created_at for move in moves if move.created_at < order.placed_at)])
        found.append(answer(order.seat, order.user_id, opened, order.placed_at, order.source))
    return found


def _first_versions(match: Match, sources: Collection[str]) -> Iterable[SealedOrder]:
    """The first of the orders that each seat has given for each contest."""
    orders = SealedOrder.objects.filter(match=match, voided_at=None, move=None, source__in=sources)
    first: dict[tuple[str, int], SealedOrder] = {}
    for order in orders.order_by("pk").defer("lines", "text", "salt"):
        first.setdefault((order.context, order.seat), order)
    return first.values()
