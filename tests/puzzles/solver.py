"""Another search for the best move, which shares nothing with that of the puzzles but the rules and the redrawing.

Flat Monte Carlo: all legal moves are played on to the end of the match by players of another kind, who take the best of
three random moves by the evaluation that the computer players of an earlier day had (`tests.strength.frozen`). A move
is judged by the places at the end, not by the evaluation of today. Moves that fall behind are dropped by a fixed plan.
"""

from __future__ import annotations

from random import Random
from typing import Any

from games.chance import Chance
from games.contract import Seat
from games.puzzle import Puzzle
from tests.strength.frozen import FROZEN, Frozen

SIMULATIONS = 400
"""Playouts for each puzzle, at least."""
SEED = "other"
"""Not *solver*: puzzles on which the search disagreed with that seed were left out, so that it would prove nothing."""
_BREADTH = 3
_LEAST = 40
"""Matches in which each of the last two moves is played on."""


def solve(puzzle: Puzzle, seed: str = SEED, simulations: int = SIMULATIONS) -> str:
    """The move of the puzzle that does best, in notation."""
    rules, seat = puzzle.game.rules, puzzle.seat
    reference = FROZEN[rules.meta.slug]
    chance = Chance(seed, puzzle.key)
    luck = Random(f"{seed} {puzzle.key}")
    results: dict[Any, list[float]] = {move: [] for move in rules.legal_moves(puzzle.state, seat)}
    left = list(results)
    while len(left) > 1:
        for _ in range(max(simulations // (4 * len(left)), _LEAST if len(left) <= 4 else 2)):
            world = _guess(reference, puzzle.state, seat, chance)
            for move in left:
                after = rules.apply(world, seat, move, chance).state
                results[move].append(_play_on(reference, after, seat, chance, luck))
        left.sort(key=lambda move: -sum(results[move]) / len(results[move]))
        left = left[: max(1, len(left) // 3)]
    return rules.write(left[0])


def _guess(reference: Frozen, state: Any, seat: Seat, chance: Chance) -> Any:
    """A position that the seat may take for the real one, with what others may have chosen face down."""
    rules = reference.rules
    world = rules.resample(state, seat, chance)
    if rules.meta.has_sealed_picks:
        for other in sorted(rules.bidders(world) - rules.waiting_on(world) - {seat}):
            if next(rules.legal_moves(world, other), None) is not None:
                world = rules.apply(world, other, rules.random_move(world, other, chance), chance).state
    return world


def _play_on(reference: Frozen, state: Any, seat: Seat, chance: Chance, luck: Random) -> float:
    """The result of the seat, 0 to 1, when all go on like this to the end."""
    rules = reference.rules
    while waiting := rules.waiting_on(state):
        mover = min(waiting)
        if forced := rules.forced_move(state):
            state = rules.apply(state, *forced, chance).state
            continue
        # No set: its order differs from process to process, and with it what luck chooses.
        moves = dict.fromkeys(rules.random_move(state, mover, chance) for _ in range(_BREADTH))
        reached = [rules.apply(state, mover, move, chance).state for move in moves]
        luck.shuffle(reached)
        state = max(reached, key=lambda after: reference.evaluate(after, mover))
    ranks, scores = rules.ranks(state), rules.standing(state)
    others = [other for other in range(len(ranks)) if other != seat]
    beaten = sum((ranks[other] > ranks[seat]) + 0.5 * (ranks[other] == ranks[seat]) for other in others)
    lead = scores[seat] - max(scores[other] for other in others)
    return beaten / len(others) + 0.01 * max(-30, min(30, lead))
