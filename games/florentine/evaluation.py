"""A cheap guess of how a seat of Florentine Domino stands: its gems, weighed by how likely their rooms close."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from games.contract import Seat
from games.florentine.scoring import count_gems, find_room, list_walls
from games.florentine.square import ACROSS, GEM_OF, OUTSIDE
from games.florentine.state import Square, State

CLOSING = 0.72
"""The chance that an edge towards a free cell will be closed."""
WALLED = (1.0, 0.3, 0.0)
"""The chance that 0, 1 or more outer edges will all be closed by a black card."""


@dataclass(frozen=True, slots=True)
class Room:
    """A room as it lies: its first triangle, its gems, the free cells it opens to, its edges that look outside."""

    first: int
    gems: int
    free: frozenset[int]
    outer: frozenset[int]


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
        if gem in hopes:
            room = survey_room(state.square, 4 * cell + look.index(gem))
            if room.first not in counted:
                counted.add(room.first)
                hopes[gem] += estimate_room(room.gems, len(room.free), len(room.outer - walls))
    return hopes


@lru_cache(maxsize=20_000)
def survey_room(square: Square, start: int) -> Room:
    """The room of this triangle, kept: playouts meet the same squares again."""
    triangles = find_room(square, start)
    outer = [triangle for triangle in triangles if ACROSS[triangle] == OUTSIDE]
    beyond = {ACROSS[triangle] // 4 for triangle in triangles if ACROSS[triangle] != OUTSIDE}
    free = [cell for cell in beyond if not square[cell]]
    return Room(min(triangles), count_gems(square, triangles), frozenset(free), frozenset(outer))


def estimate_room(gems: int, free: int, outer: int) -> float:
    """The points to hope for from a room with so many gems, open to so many free cells and outer edges."""
    return gems * CLOSING**free * WALLED[min(outer, len(WALLED) - 1)] if gems else 0.0
