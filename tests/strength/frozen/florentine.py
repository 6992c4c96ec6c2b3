"""A cheap guess of how a seat of Florentine Domino stands, for the easy bot."""

from __future__ import annotations

from collections.abc import Collection

from games.contract import Seat
from games.florentine.scoring import count_gems, find_room, list_walls
from games.florentine.square import ACROSS, GEM_OF, OUTSIDE
from games.florentine.state import Square, State

CLOSING = 0.72
"""The chance that an edge towards a free cell will be closed."""
WALLED = (1.0, 0.3, 0.0)
"""The chance that 0, 1 or more outer edges will all be closed by a black card."""


def evaluate(state: State, seat: Seat) -> float:
    """The gems that the seat may hope for, less those of the best other seat."""
    hopes = estimate_gems(state)
    own = state.colours[seat]
    return hopes[own] - max(hope for colour, hope in hopes.items() if colour != own)


def estimate_gems(state: State) -> dict[str, float]:
    """Sum, for the colour of every seat, its gems on the square, each weighed by how open its room still is."""
    walls = list_walls(state.blacks)
    hopes = dict.fromkeys(state.colours, 0.0)
    counted: set[int] = set()
    for cell, look in enumerate(state.square):
        gem = GEM_OF[look] if look else ""
        if gem not in hopes or 4 * cell + look.index(gem) in counted:
            continue
        room = find_room(state.square, 4 * cell + look.index(gem))
        counted |= room
        gaps, outside = _count_openings(state.square, walls, room)
        gems = count_gems(state.square, room)
        hopes[gem] += gems * CLOSING**gaps * WALLED[min(outside, len(WALLED) - 1)]
    return hopes


def _count_openings(square: Square, walls: Collection[int], room: Collection[int]) -> tuple[int, int]:
    """Count the free cells towards which the room is open, and its outer edges without a black card."""
    free: set[int] = set()
    outside = 0
    for triangle in room:
        across = ACROSS[triangle]
        if across == OUTSIDE:
            outside += triangle not in walls
        elif not square[across // 4]:
            free.add(across // 4)
    return len(free), outside
