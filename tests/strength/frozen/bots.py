"""The computer players as they were before they had policies: opponents that never change.

Copied with the evaluations and the settings of that time; orders and suggestions for people are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeAlias

from games.chance import Chance
from games.contract import Rules, Seat
from games.plies import follow

AnyRules: TypeAlias = Rules[Any, Any, Any]

LEVELS = ("easy", "normal")

MOST_CANDIDATES = 48
"""With more legal moves than this, the default move and a sample of the others are considered."""
_MARGIN = 10
"""A lead of this many points counts half of what a lead without end would count."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A game with the settings that its computer players had; `games.contract.Game` has some of the same names."""

    rules: AnyRules
    evaluate: Callable[[Any, Seat], float]
    suggest: Callable[[Any, Seat], Sequence[Any]] | None = None
    simulations: int = 400
    most_seats_for_playouts: int | None = None
    horizon: int | None = None
    stage: Callable[[Any], int] | None = None
    shortlist: int | None = None
    breadth: int = 1


def choose(
    level: str, game: Frozen, state: Any, seat: Seat, chance: Chance, simulations: int | None = None
) -> Any:
    """A legal move for a seat that is to act; `level` is one of LEVELS."""
    known = game.rules.resample(state, seat, chance)
    match level:
        case "easy":
            return choose_by_evaluation(game, known, seat, chance)
        case "normal" if not _are_playouts_worth_it(game, known):
            return choose_by_evaluation(game, known, seat, chance)
        case "normal":
            budget = game.simulations if simulations is None else simulations
            return choose_by_playouts(game, known, seat, chance, budget)
        case _:
            raise ValueError(f"no bot plays at level {level!r}")


def _are_playouts_worth_it(game: Frozen, state: Any) -> bool:
    most = game.most_seats_for_playouts
    return most is None or len(game.rules.standing(state)) <= most


def list_candidates(rules: AnyRules, state: Any, seat: Seat, chance: Chance) -> list[Any]:
    """All legal moves when they are few, else the default move and a random sample."""
    moves = list(islice(rules.legal_moves(state, seat), MOST_CANDIDATES + 1))
    if len(moves) <= MOST_CANDIDATES:
        return moves
    sample = dict.fromkeys([rules.default_move(state, seat)])
    for _ in range(2 * MOST_CANDIDATES):
        if len(sample) == MOST_CANDIDATES:
            break
        sample[rules.random_move(state, seat, chance)] = None
    return list(sample)


def choose_by_evaluation(game: Frozen, state: Any, seat: Seat, chance: Chance) -> Any:
    """The candidate after which the evaluation is best for the seat."""
    rules = game.rules
    best, best_value = None, float("-inf")
    for move in list_candidates(rules, state, seat, chance):
        after = rules.apply(state, seat, move, chance).state
        value = judge(game, after, seat)
        if value > best_value:
            best, best_value = move, value
    return best


def choose_by_playouts(game: Frozen, state: Any, seat: Seat, chance: Chance, simulations: int) -> Any:
    """The candidate that does best in playouts of redrawn positions, by sequential halving.

    All candidates are tried in the same redrawn positions, so that luck of the draw does not decide between them;
    after each round the worse half is dropped.
    """
    rules = game.rules
    candidates = _shorten(game, state, seat, chance)
    begun = find_stage(game, state)
    totals = dict.fromkeys(candidates, 0.0)
    rounds = max(1, (len(candidates) - 1).bit_length())
    while len(candidates) > 1:
        worlds = max(1, simulations // (rounds * len(candidates)))
        for _ in range(worlds):
            world = _imagine(game, state, seat, chance)
            for move in candidates:
                after = rules.apply(world, seat, move, chance).state
                totals[move] += judge(game, play_out(game, after, chance, begun), seat)
        candidates.sort(key=totals.__getitem__, reverse=True)
        candidates = candidates[: (len(candidates) + 1) // 2]
    return candidates[0]


def _shorten(game: Frozen, state: Any, seat: Seat, chance: Chance) -> list[Any]:
    """The moves that look best at once, the best first; as many as the game asks for."""
    if game.suggest:
        return list(game.suggest(state, seat)[: game.shortlist])
    moves = list_candidates(game.rules, state, seat, chance)
    if game.shortlist is None or len(moves) <= game.shortlist:
        return moves
    values = [judge(game, game.rules.apply(state, seat, move, chance).state, seat) for move in moves]
    ranked = sorted(range(len(moves)), key=lambda place: -values[place])
    return [moves[place] for place in ranked[: game.shortlist]]


def _imagine(game: Frozen, state: Any, seat: Seat, chance: Chance) -> Any:
    """The position with everything redrawn that the seat cannot know, and with likely sealed picks."""
    rules = game.rules
    world = rules.resample(state, seat, chance)
    if game.suggest and rules.meta.has_sealed_picks:
        for other in sorted(rules.bidders(world) - rules.waiting_on(world) - {seat}):
            if moves := game.suggest(world, other):
                world = rules.apply(world, other, moves[0], chance).state
    return world


def find_stage(game: Frozen, state: Any) -> int:
    """The part of the match that this position belongs to; 0 for all where the game names no stages."""
    return game.stage(state) if game.stage else 0


def play_out(game: Frozen, state: Any, chance: Chance, begun: int) -> Any:
    """The position after quickly chosen moves to the end of the stage `begun`, or to the game's horizon."""
    moves = follow(game.rules, state, lambda state, seat: _move_quickly(game, state, seat, chance))
    reached = state
    for reached in chain([state], islice(moves, game.horizon)):
        if find_stage(game, reached) != begun:
            break
    return reached


def _move_quickly(game: Frozen, state: Any, seat: Seat, chance: Chance) -> Any:
    """The position after the move that the game suggests first, else after a random one or the best of a few."""
    rules = game.rules
    if game.suggest:
        return rules.apply(state, seat, game.suggest(state, seat)[0], chance).state
    if game.breadth == 1:
        return rules.apply(state, seat, rules.random_move(state, seat, chance), chance).state
    moves = dict.fromkeys([rules.default_move(state, seat)])
    moves.update(dict.fromkeys([rules.random_move(state, seat, chance) for _ in range(game.breadth - 1)]))
    reached = [rules.apply(state, seat, move, chance).state for move in moves]
    return reached[0] if len(reached) == 1 else max(reached, key=lambda after: judge(game, after, seat))


def judge(game: Frozen, state: Any, seat: Seat) -> float:
    """How good this is for the seat, 0 to 1: by the game's evaluation while the match runs, if it has one.

    Else as if the match ended here: the share of the others who are beaten, and the lead.
    """
    rules, evaluate = game.rules, game.evaluate
    if rules.waiting_on(state):
        return _squash(evaluate(state, seat))
    scores, ranks = rules.standing(state), rules.ranks(state)
    others = [other for other in range(len(scores)) if other != seat]
    beaten = sum(
        [1.0 if ranks[other] > ranks[seat] else 0.5 * (ranks[other] == ranks[seat]) for other in others]
    )
    lead = scores[seat] - max([scores[other] for other in others])
    return 0.7 * beaten / len(others) + 0.3 * _squash(lead)


def _squash(points: float) -> float:
    return 0.5 + 0.5 * points / (abs(points) + _MARGIN)
