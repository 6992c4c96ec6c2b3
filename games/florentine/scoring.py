"""Rooms and the gems in them (RULES.md, paragraphs 20 to 24).

A room is a set of triangles of one colour; triangles are numbered as in `square`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from games.contract import rank_seats
from games.florentine.square import ACROSS, CARD_OF, CELL_NUMBER, GEM_OF, OUTSIDE, SIDES
from games.florentine.state import Black, Square


def _join_sides(look: str) -> tuple[tuple[int, ...], ...]:
    """For every side, the neighbouring sides of the same colour."""
    return tuple(
        tuple(other % 4 for other in (side + 1, side + 3) if look[other % 4] == look[side])
        for side in range(4)
    )


_JOINED = {look: _join_sides(look) for look in CARD_OF}


def find_triangle(cell: str, side: str) -> int:
    """The number of one triangle: `a3`, `W`."""
    return 4 * CELL_NUMBER[cell] + SIDES.index(side)


def list_walls(blacks: Iterable[Black | None]) -> frozenset[int]:
    """The triangles on the rim that a black card closes."""
    return frozenset(find_triangle(black.cell, black.edge) for black in blacks if black is not None)


def find_closed_room(square: Square, walls: Collection[int], start: int) -> set[int] | None:
    """The room of this triangle; None when it is open to a free cell or to the outside."""
    room = {start}
    waiting = [start]
    while waiting:
        triangle = waiting.pop()
        cell = triangle // 4
        across = ACROSS[triangle]
        if across == OUTSIDE:
            if triangle not in walls:
                return None
        elif not square[across // 4]:
            return None
        elif across not in room:
            room.add(across)
            waiting.append(across)
        for side in _JOINED[square[cell]][triangle % 4]:
            joined = 4 * cell + side
            if joined not in room:
                room.add(joined)
                waiting.append(joined)
    return room


def find_room(square: Square, start: int) -> set[int]:
    """The room of this triangle, closed or not."""
    room = {start}
    waiting = [start]
    while waiting:
        triangle = waiting.pop()
        cell = triangle // 4
        touching = [4 * cell + side for side in _JOINED[square[cell]][triangle % 4]]
        across = ACROSS[triangle]
        if across != OUTSIDE and square[across // 4]:
            touching.append(across)
        for other in touching:
            if other not in room:
                room.add(other)
                waiting.append(other)
    return room


def list_closed_rooms(square: Square, walls: Collection[int], colours: str) -> Iterator[tuple[str, set[int]]]:
    """Every closed room of these colours that holds a gem: its colour and its triangles, by first cell."""
    counted: set[int] = set()
    for cell, look in enumerate(square):
        gem = GEM_OF[look] if look else ""
        if not gem or gem not in colours:
            continue
        start = 4 * cell + look.index(gem)
        if start not in counted:
            room = find_closed_room(square, walls, start)
            if room is not None:
                counted |= room
                yield gem, room


def find_closed_triangles(square: Square, walls: Collection[int]) -> set[int]:
    """The triangles of all closed rooms, of every colour and with or without gems."""
    closed: set[int] = set()
    for cell, look in enumerate(square):
        for side in range(4 if look else 0):
            if 4 * cell + side not in closed:
                closed |= find_closed_room(square, walls, 4 * cell + side) or set()
    return closed


def count_gems(square: Square, room: Iterable[int]) -> int:
    """The gems that lie in this room: one for each of its cards that shows a gem of the room's colour."""
    gems = set()
    for triangle in room:
        look = square[triangle // 4]
        if GEM_OF[look] == look[triangle % 4]:
            gems.add(triangle // 4)
    return len(gems)


def score_seats(colours: str, square: Square, blacks: Sequence[Black | None]) -> tuple[int, ...]:
    """For every seat, the gems of its kind in closed rooms of its colour."""
    scores = dict.fromkeys(colours, 0)
    for colour, room in list_closed_rooms(square, list_walls(blacks), colours):
        scores[colour] += count_gems(square, room)
    return tuple(scores.values())


def rank_seats_by_gems(scores: Sequence[int]) -> tuple[int, ...]:
    """The rank of every seat; ties are shared."""
    return rank_seats([(score,) for score in scores])
