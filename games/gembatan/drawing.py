"""Draws the lay-out as a map of letters for the eyes; `words` says the same in words."""

from __future__ import annotations

from collections.abc import Iterator

from games.gembatan.components import CODE_OF_PAIR, FLAT, SIDES
from games.gembatan.grid import Grid, point_of
from games.gembatan.state import Point

MOST_COLUMNS = 16
"""A wider lay-out is drawn in several maps, from west to east."""
_LABEL = 4
_WIDTH = 2
"""Characters for a tile, and for the side between two tiles."""


def draw_maps(grid: Grid) -> Iterator[str]:
    """The lines of the map; further maps follow after an empty line."""
    marks = _mark_points(grid)
    west, east = min(x for x, _ in grid.sides), max(x for x, _ in grid.sides)
    for start in range(west, east + 1, MOST_COLUMNS):
        if start > west:
            yield ""
        yield from _draw_map(marks, start, min(start + MOST_COLUMNS - 1, east))


def _mark_points(grid: Grid) -> dict[Point, str]:
    """Two characters for every point of the map that is not blank; tiles stand at even points."""
    marks = {}
    for cell, sides in grid.sides.items():
        marks[2 * cell[0], 2 * cell[1]] = "[]"
        for side, border in zip(SIDES, sides, strict=True):
            if border != FLAT:
                marks.setdefault(point_of(cell, side), border.lower() + ".")
    for point, borders in grid.empty_sockets.items():
        marks[point] = CODE_OF_PAIR.get(borders, borders).lower()
    marks.update(grid.gems)
    return marks


def _draw_map(marks: dict[Point, str], west: int, east: int) -> Iterator[str]:
    heights = [y for x, y in marks if 2 * west - 1 <= x <= 2 * east + 1]
    for y in range(max(heights), min(heights) - 1, -1):
        label = "" if y % 2 else str(y // 2)
        row = "".join([marks.get((x, y), " " * _WIDTH) for x in range(2 * west - 1, 2 * east + 2)])
        yield f"{label:<{_LABEL}}{row}".rstrip()
    columns = "".join([f"{x:<{2 * _WIDTH}}" for x in range(west, east + 1)])
    yield f"{'y x':<{_LABEL + _WIDTH}}{columns}".rstrip()
