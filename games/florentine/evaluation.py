"""A cheap guess of how a seat of Florentine Domino stands: its gems, weighed by how likely their rooms close."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from operator import itemgetter

from games.contract import Seat
from games.florentine.components import CARD_CODES
from games.florentine.scoring import count_gems, find_room, list_walls
from games.florentine.square import (
    ACROSS,
    CARD_OF,
    CELLS,
    CENTRE,
    GEM_OF,
    NEIGHBOURS,
    OUTSIDE,
    SIZE,
    find_needs,
    fitting_looks,
)
from games.florentine.state import Square, State

FILLED = (0.0, 0.6, 0.7) + (0.75,) * (len(CARD_CODES) - 2)
"""The chance that a free cell where 0, 1, 2 or more cards still fit is filled so that the rooms beside it close."""
WALLED = (1.0, 0.2, 0.0)
"""The chance that 0, 1 or more outer edges will all be closed by a black card."""

_BIT = {card: 1 << place for place, card in enumerate(CARD_CODES)}
_BIT_OF = {"": 0} | {look: _BIT[card] for look, card in CARD_OF.items()}
_ALL = sum(_BIT.values())


def _measure_way(cell: int) -> int:
    """The number of steps from the centre."""
    return sum(
        [abs(at - middle) for at, middle in zip(divmod(cell, SIZE), divmod(CENTRE, SIZE), strict=True)]
    )


_INNER = {
    cell: [near for _, near in NEIGHBOURS[cell] if _measure_way(near) < _measure_way(cell)]
    for cell in sorted(range(len(CELLS)), key=_measure_way)
}
"""For every cell, from the centre outwards, its neighbours that must be filled before it (paragraphs 13 and 14)."""


@dataclass(frozen=True, slots=True)
class Room:
    """A room as it lies: its first triangle, its gems, the free cells it opens to, its edges that look outside.

    `take` takes from a square the looks that all of this depends on.
    """

    first: int
    gems: int
    free: frozenset[int]
    outer: frozenset[int]
    take: Callable[[Square], Square]
    looks: Square


def evaluate(state: State, seat: Seat) -> float:
    """The gems that the seat may hope for, less those of the others in the mean: each of them is to be beaten."""
    hopes = estimate_gems(state)
    own = hopes.pop(state.colours[seat])
    return own - sum(hopes.values()) / len(hopes)


def estimate_gems(state: State) -> dict[str, float]:
    """Sum, for the colour of every seat, its gems on the square, each weighed by how open its room still is."""
    walls = list_walls(state.blacks)
    chances = weigh_ways(find_chances(state.square))
    hopes = dict.fromkeys(state.colours, 0.0)
    counted: set[int] = set()
    for cell, look in enumerate(state.square):
        gem = GEM_OF[look] if look else ""
        if gem in hopes:
            room = survey_room(state.square, 4 * cell + look.index(gem))
            if room.first not in counted:
                counted.add(room.first)
                hopes[gem] += estimate_room(room.gems, room.free, len(room.outer - walls), chances)
    return hopes


def find_chances(square: Square) -> dict[int, float]:
    """For every free cell, the chance that one of the cards that do not lie on the square will fill it well."""
    left = _ALL - sum([_BIT_OF[look] for look in square])
    return {
        cell: FILLED[(left & _find_fitting(need)).bit_count()] for cell, need in find_needs(square).items()
    }


@lru_cache(maxsize=5**4)
def _find_fitting(need: str) -> int:
    """The cards that fit a cell with this need, a bit for each."""
    return sum([_BIT[card] for card in fitting_looks(need)])


def weigh_ways(chances: Mapping[int, float]) -> dict[int, float]:
    """For every free cell, its chance times those of the cells that must be filled before it.

    A cell that no card fits so bars all behind it. The policy does without: its playouts would be too few.
    """
    weighed: dict[int, float] = {}
    for cell, inner in _INNER.items():
        if cell in chances:
            weighed[cell] = chances[cell] * prod([weighed[near] for near in inner if near in weighed])
    return weighed


_known: dict[int, Room] = {}
"""The room that was last found at each triangle: a card changes few of them, on the square and in playouts."""


def survey_room(square: Square, start: int) -> Room:
    """The room of this triangle."""
    room = _known.get(start)
    if room is None or room.take(square) != room.looks:
        room = _known[start] = _survey_anew(square, start)
    return room


def _survey_anew(square: Square, start: int) -> Room:
    triangles = find_room(square, start)
    outer = [triangle for triangle in triangles if ACROSS[triangle] == OUTSIDE]
    beyond = {ACROSS[triangle] // 4 for triangle in triangles if ACROSS[triangle] != OUTSIDE}
    free = [cell for cell in beyond if not square[cell]]
    # A room may be one card without a free cell beside it, and one index alone would give no tuple.
    take = itemgetter(CENTRE, *{triangle // 4 for triangle in triangles}, *free)
    gems = count_gems(square, triangles)
    return Room(min(triangles), gems, frozenset(free), frozenset(outer), take, take(square))


def estimate_room(gems: int, free: Iterable[int], outer: int, chances: Mapping[int, float]) -> float:
    """The points to hope for from a room with so many gems, open to these free cells and so many outer edges."""
    if not gems:
        return 0.0
    return gems * WALLED[min(outer, len(WALLED) - 1)] * prod([chances[cell] for cell in free])
