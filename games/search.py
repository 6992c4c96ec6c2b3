"""Searches for a move on the contract alone: sequential halving at the root, and below it a tree where that is asked.

The searching seat knows only what it may: every simulation goes on from a position redrawn for it. Others move as the
quick players of `games.playouts` do, until the tree knows better (information-set Monte-Carlo tree search by a single
observer: Cowling, Powley, Whitehouse 2012). The number of simulations bounds the work.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from math import log, sqrt
from typing import Any

from games.chance import Chance
from games.contract import Game, Seat
from games.playouts import find_stage, imagine, judge, list_promising, move_quickly, play_out

CURIOSITY = 1.0
"""The gain in the tree of a move that was seldom tried, in standard deviations of what playouts are worth."""
TRUST = 0.15
"""At the root the policy's move gains this, divided by the square root of its visits: luck in a few simulations is no
reason to leave it."""
WIDENING = 0.3
"""A node that was visited n times compares about n to the power of this many moves. Few, because bad replies that are
tried count in the mean too: with 0.6 hard overrated whatever left the others much to try."""


@dataclass(slots=True)
class Node:
    """The findings of simulations about the positions after one sequence of moves."""

    visits: int = 0
    total: float = 0.0
    """The worth of its playouts for the seat that moved here."""
    available: int = 0
    """The number of times that the move to this node could be chosen; in some redrawn positions it is not possible."""
    after: dict[tuple[Seat, Hashable], Node] = field(default_factory=dict)


@dataclass(slots=True)
class Spread:
    """The standard deviation of what playouts are worth: where they hardly differ, a tree must not try as much.

    It is 0.35 to begin with, as if sixteen playouts were known.
    """

    number: int = 16
    total: float = 16 * 0.5
    squares: float = 16 * (0.5**2 + 0.35**2)

    def add(self, worth: float) -> None:
        """Count one more playout."""
        self.number += 1
        self.total += worth
        self.squares += worth * worth

    @property
    def deviation(self) -> float:
        """The standard deviation of all that were counted."""
        mean = self.total / self.number
        return sqrt(max(0.0, self.squares / self.number - mean * mean))


def search(game: Game, state: Any, seat: Seat, chance: Chance, simulations: int, *, is_deep: bool) -> Any:
    """The promising move that does best in so many simulations.

    All moves are tried in the same redrawn positions, so that luck of the draw does not decide between them; after each
    round the worse half is dropped. When it is deep, the players are imagined by the game's `deep_policy`, and what was
    learned of the `tree_depth` plies that follow guides later simulations.
    """
    candidates = list_promising(game, state, seat, chance)
    if len(candidates) == 1:
        return candidates[0]
    begun = find_stage(game, state)
    nodes = {move: Node() for move in candidates}
    spread = Spread()
    quick, trust = candidates[0], TRUST if game.policy else 0.0
    rounds = (len(candidates) - 1).bit_length()
    played = replace(game, policy=game.deep_policy) if is_deep and game.deep_policy else game
    depth = game.tree_depth if is_deep else 0
    while len(candidates) > 1:
        for _ in range(max(1, simulations // (rounds * len(candidates)))):
            world = imagine(played, state, seat, chance)
            for move in candidates:
                after = game.rules.apply(world, seat, move, chance).state
                node = nodes[move]
                reached = _descend(played, node, after, seat, chance, begun, spread.deviation, depth)
                node.visits += 1
                worth = judge(game, reached, seat)
                node.total += worth
                spread.add(worth)
        trusted = trust / sqrt(nodes[candidates[0]].visits)
        candidates.sort(
            key=lambda move: nodes[move].total / nodes[move].visits + trusted * (move == quick), reverse=True
        )
        candidates = candidates[: (len(candidates) + 1) // 2]
    return candidates[0]


def _descend(
    game: Game, root: Node, world: Any, observer: Seat, chance: Chance, begun: int, spread: float, depth: int
) -> Any:
    """Follow the tree as far as it is known, or to this depth, play on from there, and note the worth on the way."""
    rules = game.rules
    path: list[tuple[Seat, Node]] = []
    node = root
    while len(path) < depth and find_stage(game, world) == begun:
        waiting = rules.waiting_on(world)
        if not waiting:
            break
        seat = min(waiting)
        if len(waiting) > 1 and seat != observer:
            # Of picks made at once, only the observer's own is searched.
            move = move_quickly(game, world, seat, chance)
            world = rules.apply(world, seat, move, chance).state
            continue
        is_new, move, node = _select(game, node, world, seat, chance, spread)
        world = rules.apply(world, seat, move, chance).state
        path.append((seat, node))
        if is_new:
            break
    reached = play_out(game, world, chance, begun)
    worth = {seat: judge(game, reached, seat) for seat in {seat for seat, _ in path}}
    for seat, node in path:
        node.visits += 1
        node.total += worth[seat]
    return reached


def _select(
    game: Game, node: Node, world: Any, seat: Seat, chance: Chance, spread: float
) -> tuple[bool, Any, Node]:
    """The move to try next here, with its node, and whether it was never tried before.

    The quick player's move comes first; with every further visit more of the promising moves are compared with it.
    """
    visits = sum([child.visits for (mover, _), child in node.after.items() if mover == seat])
    width = int((visits + 1) ** WIDENING)
    if width <= 1:
        moves = [move_quickly(game, world, seat, chance)]
    else:
        moves = list_promising(game, world, seat, chance)[:width]
    for move in moves:
        child = node.after.get((seat, move))
        if child is None:
            child = node.after[seat, move] = Node()
            child.available += 1
            return True, move, child
        child.available += 1
    best = max(moves, key=lambda move: _rate(node.after[seat, move], spread))
    return False, best, node.after[seat, best]


def _rate(child: Node, spread: float) -> float:
    """UCB1, with how often the move was available in place of how often its parent was visited."""
    if not child.visits:
        return float("inf")
    return child.total / child.visits + CURIOSITY * spread * sqrt(log(child.available) / child.visits)
