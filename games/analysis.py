"""Judges the moves of a record: each beside the move that a computer player would have chosen, and what it lost.

A seat's moves are compared in positions redrawn for what that seat could know, all in the same ones, and played on by
quick players (`games.playouts`). So a move is not blamed for cards that nobody could see. Worth and loss are parts of
100: a whole match won or lost is 100, a small slip less than 2. They are estimates; twenty simulations err by some 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from games.bots import count_simulations
from games.chance import NO_SEED, Chance
from games.contract import Game, Seat
from games.playouts import find_stage, imagine, judge, list_promising, play_out
from games.record import MoveLine, Record
from games.replay import NOT_BY_PERSON, Replay, begin, play_line

SIMULATIONS = 40
"""Positions in which the moves of one ply are compared, unless somebody asks for more."""

ADVICE_LEAST = 10
"""Positions in which the moves of an advice are compared at least, however many there are."""

REVIEW_SIMULATIONS = 24
"""Of a review, which judges every move of a match."""

EXPECTING = 10
"""Matches played on from one position to estimate what can be expected there; the mean errs by some 8 of 100."""

SLIP = 8.0
"""A smaller loss may be the estimate's own error."""

MOST_TURNING_POINTS = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """A move that its player chose, beside the best one that was found."""

    ply: int
    seat: Seat
    played: str
    best: str
    worth: float
    """The promise of the best one, 0 to 100."""
    loss: float
    """The promise of the best less that of the played one; 0 for the best."""


def compare(
    game: Game, state: Any, seat: Seat, chance: Chance, simulations: int, played: Any = None
) -> dict[Any, float]:
    """Estimate what the promising moves, and `played`, are worth to the seat: move → 0 to 100, the best first."""
    known = game.rules.resample(state, seat, chance)
    moves = list_promising(game, known, seat, chance)
    if played is not None and played not in moves:
        moves = [*moves, played]
    return _weigh(game, known, seat, chance, moves, simulations)


def advise(game: Game, state: Any, seat: Seat, chance: Chance) -> dict[Any, float]:
    """Compare the promising moves, the best first, in about as many simulations in all as a hard player makes."""
    known = game.rules.resample(state, seat, chance)
    moves = list_promising(game, known, seat, chance)
    budget = count_simulations(game, known, "hard")
    return _weigh(game, known, seat, chance, moves, max(ADVICE_LEAST, budget // len(moves)))


def _weigh(
    game: Game, known: Any, seat: Seat, chance: Chance, moves: Sequence[Any], simulations: int
) -> dict[Any, float]:
    """Move → worth, each in so many positions redrawn from the one that the seat knows."""
    rules = game.rules
    if len(moves) == 1:
        return {moves[0]: 100 * judge(game, rules.apply(known, seat, moves[0], chance).state, seat)}
    begun, totals = find_stage(game, known), dict.fromkeys(moves, 0.0)
    for _ in range(simulations):
        world = imagine(game, known, seat, chance)
        for move in moves:
            after = rules.apply(world, seat, move, chance).state
            totals[move] += judge(game, play_out(game, after, chance, begun), seat)
    ranked = sorted(moves, key=totals.__getitem__, reverse=True)
    return {move: 100 * totals[move] / simulations for move in ranked}


def analyse(record: Record, simulations: int = SIMULATIONS) -> Iterator[Judged]:
    """Judge each move of the record that its player chose among several; always with the same answer.

    Raises GameError at the first line that cannot be played.
    """
    current = begin(record)
    for line in record.moves:
        if isinstance(line, MoveLine) and _is_choice(current, line):
            yield judge_line(current, line, simulations, Chance("analysis", f"analysis {current.ply + 1}"))
        current = play_line(current, line, record.seed or NO_SEED)


def _is_choice(current: Replay, line: MoveLine) -> bool:
    rules = current.game.rules
    is_own = line.played_by not in NOT_BY_PERSON and not line.is_resignation
    return (
        is_own and line.seat in rules.waiting_on(current.state) and rules.forced_move(current.state) is None
    )


def judge_line(current: Replay, line: MoveLine, simulations: int, chance: Chance) -> Judged:
    """Judge the move of this line in the position before it. Raises GameError if it is no legal move."""
    rules, state, seat = current.game.rules, current.state, line.seat
    played = rules.parse(state, seat, line.text)
    rules.apply(state, seat, played, chance)
    worths = compare(current.game, state, seat, chance, simulations, played)
    best = next(iter(worths))
    lost = worths[best] - worths[played]
    return Judged(current.ply + 1, seat, rules.write(played), rules.write(best), worths[best], lost)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One position of a match: the result that each seat could expect there, 0 to 100, and the move that led to it."""

    ply: int
    known: tuple[float, ...]
    """By what the seat itself could know."""
    true: tuple[float, ...]
    """By all that was hidden, too."""
    judged: Judged | None = None
    """The move, where its player had a choice."""


def review(record: Record, *, begin_at: int = 0, ranks: Sequence[int] | None = None) -> Iterator[Reviewed]:
    """Look back at a match, position by position from the one after `begin_at` moves.

    Each is the same wherever the look begins. `ranks`: by seat, if somebody has decided the match.
    Raises GameError at the first line that cannot be played.
    """
    current, last = begin(record), len(record.moves)
    simulations = _fewer(REVIEW_SIMULATIONS, len(record.players), 12)
    if begin_at == 0:
        yield _review(current, None, ranks if last == 0 else None)
    for line in record.moves:
        judged = None
        is_wanted = current.ply + 1 >= begin_at
        if is_wanted and isinstance(line, MoveLine) and _is_choice(current, line):
            judged = judge_line(current, line, simulations, Chance("review", f"move {current.ply + 1}"))
        current = play_line(current, line, record.seed or NO_SEED)
        if is_wanted:
            yield _review(current, judged, ranks if current.ply == last else None)


def _review(current: Replay, judged: Judged | None, ranks: Sequence[int] | None) -> Reviewed:
    """`ranks`: as decided in this very position."""
    game, state, seats = current.game, current.state, range(len(current.players))
    if current.ended or ranks:
        result = share_out(ranks) if ranks else _tell_result(current)
        return Reviewed(current.ply, result, result, judged)
    chance = Chance("review", f"position {current.ply}")
    known = [_expect(game, partial(imagine, game, state, seat, chance), chance)[seat] for seat in seats]
    return Reviewed(current.ply, tuple(known), _expect(game, lambda: state, chance), judged)


def _tell_result(ended: Replay) -> tuple[float, ...]:
    """The result by seat, 0 to 100; of two players all goes to the one who has not resigned."""
    if len(ended.players) == 2 and ended.resigned:
        return share_out(ended.ranks)
    return tuple(100 * judge(ended.game, ended.state, seat) for seat in range(len(ended.players)))


def share_out(ranks: Sequence[int]) -> tuple[float, ...]:
    """The result by seat where ranks alone count: the share of the others who are beaten, 0 to 100.

    >>> share_out([2, 1, 2])
    (25.0, 100.0, 25.0)
    """
    beaten = [sum((other > own) + 0.5 * (other == own) for other in ranks) - 0.5 for own in ranks]
    return tuple(100 * each / (len(ranks) - 1) for each in beaten)


def _fewer(simulations: int, seats: int, least: int) -> int:
    """So many simulations are for two seats; with more, each takes longer."""
    return max(min(simulations, least), 2 * simulations // seats)


def _expect(game: Game, find_world: Callable[[], Any], chance: Chance) -> tuple[float, ...]:
    """The mean result by seat that quick players reach from such positions."""
    results = []
    for _ in range(_fewer(EXPECTING, len(game.rules.standing(find_world())), 4)):
        world = find_world()
        reached = play_out(game, world, chance, find_stage(game, world))
        results.append([judge(game, reached, seat) for seat in range(len(game.rules.standing(reached)))])
    return tuple(100 * fmean(by_seat) for by_seat in zip(*results, strict=True))


def find_turning_points(judged: Iterable[Judged]) -> list[Judged]:
    """The moves that lost the most, in the order of the match; none that may be mere noise."""
    slips = sorted((each for each in judged if each.loss >= SLIP), key=lambda each: -each.loss)
    return sorted(slips[:MOST_TURNING_POINTS], key=lambda each: each.ply)


def summarise(judged: Sequence[Judged], seats: int) -> list[tuple[int, float]]:
    """By seat: the number of choices, and the mean loss."""
    by_seat = [[each.loss for each in judged if each.seat == seat] for seat in range(seats)]
    return [(len(losses), fmean(losses) if losses else 0.0) for losses in by_seat]
