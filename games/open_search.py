"""Searches for a move where nothing is hidden: a Monte-Carlo tree over the moves of all players, on the contract alone.

Every position comes again as it was, so that a node keeps its moves. Each player is imagined to take what is best for
itself (max-n). The number of simulations bounds the work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

from games.chance import Chance
from games.contract import Game, Seat
from games.playouts import find_stage, judge, list_promising, play_out

CURIOSITY = 0.2
"""The gain of a move that was seldom tried."""


@dataclass(slots=True)
class Branch:
    """An open position: the seat to act, its moves with the positions after them, and the worth to every seat."""

    totals: list[float]
    visits: int = 0
    seat: Seat = 0
    moves: list[Any] | None = None
    after: list[Branch] = field(default_factory=list)


def search_open(game: Game, state: Any, seat: Seat, chance: Chance, simulations: int) -> Any:
    """The promising move that is tried most in so many simulations."""
    seats = range(len(game.rules.standing(state)))
    candidates = list_promising(game, state, seat, chance)
    if len(candidates) == 1:
        return candidates[0]
    root = Branch([0.0 for _ in seats], seat=seat, moves=candidates)
    begun = find_stage(game, state)
    for _ in range(simulations):
        path, world = _descend(game, root, state, chance)
        reached = play_out(game, world, chance, begun)
        worth = [judge(game, reached, seat) for seat in seats]
        for branch in path:
            branch.visits += 1
            for other in seats:
                branch.totals[other] += worth[other]
    best = max(range(len(root.after)), key=lambda place: root.after[place].visits)
    return candidates[best]


def _descend(game: Game, root: Branch, world: Any, chance: Chance) -> tuple[list[Branch], Any]:
    """Follow the best moves to a position that was not seen yet."""
    rules = game.rules
    path = [branch := root]
    while waiting := rules.waiting_on(world):
        if branch.moves is None:
            branch.seat = min(waiting)
            branch.moves = _list_moves(game, world, branch.seat, chance)
        place = _select(branch)
        world = rules.apply(world, branch.seat, branch.moves[place], chance).state
        is_new = place == len(branch.after)
        if is_new:
            branch.after.append(Branch([0.0 for _ in branch.totals]))
        path.append(branch := branch.after[place])
        if is_new:
            break
    return path, world


def _list_moves(game: Game, world: Any, seat: Seat, chance: Chance) -> list[Any]:
    """The moves to try, the most promising first."""
    if game.rank_moves is None:
        return list_promising(game, world, seat, chance)
    return list(game.rank_moves(world, seat)[: game.shortlist])


def _select(branch: Branch) -> int:
    """The place of the move to try next: one that was never tried, else the best with its chance of being better."""
    assert branch.moves is not None
    if len(branch.after) < len(branch.moves):
        return len(branch.after)
    scale = CURIOSITY * sqrt(log(branch.visits + 1))
    rates = [after.totals[branch.seat] / after.visits + scale / sqrt(after.visits) for after in branch.after]
    return rates.index(max(rates))
