"""The lay-out as something to look things up in: cells, sides, sockets (geometry of `state`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from games.gembatan.components import FLAT, LAID, SIDES
from games.gembatan.state import Cell, LaidGem, LaidTile, Point

OFFSETS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}
NO_TILE = "*"
"""What the border of a cell is called where no tile lies."""

_NOTHING = NO_TILE * len(SIDES)
_NORTH, _EAST, _SOUTH, _WEST = range(4)


@dataclass(frozen=True, slots=True)
class Grid:
    """Tiles by cell (their sides from north clockwise) and gems by point."""

    sides: Mapping[Cell, str]
    gems: Mapping[Point, str]

    def with_tile(self, cell: Cell, sides: str) -> Grid:
        return Grid({**self.sides, cell: sides}, self.gems)

    def with_gem(self, point: Point, gem: str) -> Grid:
        return Grid(self.sides, {**self.gems, point: gem})

    def borders(self, cell: Cell) -> str:
        """What surrounds a cell, from north clockwise: a colour, `FLAT` or `NO_TILE`."""
        x, y = cell
        find = self.sides.get
        return (
            find((x, y + 1), _NOTHING)[_SOUTH]
            + find((x + 1, y), _NOTHING)[_WEST]
            + find((x, y - 1), _NOTHING)[_NORTH]
            + find((x - 1, y), _NOTHING)[_EAST]
        )

    def socket(self, point: Point) -> str | None:
        """The border colours of the socket at this point, south or west first; None when there is none."""
        cell, side = name_point(point)
        one = self.sides.get(cell)
        other = self.sides.get(step_to(cell, side))
        if one is None or other is None:
            return None
        borders = one[_NORTH] + other[_SOUTH] if side == "N" else one[_EAST] + other[_WEST]
        return None if FLAT in borders else borders

    def list_empty_sockets(self) -> Iterator[tuple[Point, str]]:
        """The sockets without a gem, with their border colours."""
        sides, gems = self.sides, self.gems
        for (x, y), own in sides.items():
            if own[_NORTH] != FLAT and (x, y + 1) in sides and (2 * x, 2 * y + 1) not in gems:
                yield (2 * x, 2 * y + 1), own[_NORTH] + sides[x, y + 1][_SOUTH]
            if own[_EAST] != FLAT and (x + 1, y) in sides and (2 * x + 1, 2 * y) not in gems:
                yield (2 * x + 1, 2 * y), own[_EAST] + sides[x + 1, y][_WEST]

    def list_open_cells(self) -> Iterator[Cell]:
        """The empty cells onto which a cutout opens."""
        sides = self.sides
        seen = set()
        for cell, own in sides.items():
            for border, neighbour in zip(own, list_neighbours(cell), strict=True):
                if border != FLAT and neighbour not in sides and neighbour not in seen:
                    seen.add(neighbour)
                    yield neighbour

    def list_cells_beside(self, cells: Iterable[Cell]) -> Iterator[Cell]:
        """The empty cells that share a side with one of these, be it flat."""
        free = [cell for start in cells for cell in list_neighbours(start) if cell not in self.sides]
        yield from dict.fromkeys(free)


_latest: tuple[tuple[LaidTile, ...], tuple[LaidGem, ...], Grid] = ((), (), Grid({}, {}))


def build_grid(tiles: tuple[LaidTile, ...], gems: tuple[LaidGem, ...]) -> Grid:
    """The grid of a position; the latest is kept, since a move is chosen, checked and weighed for every seat on one."""
    global _latest
    latest_tiles, latest_gems, grid = _latest
    if tiles is not latest_tiles or gems is not latest_gems:
        grid = Grid(
            {tile.cell: LAID[tile.code][tile.facing] for tile in tiles},
            {gem.point: gem.code for gem in gems},
        )
        _latest = (tiles, gems, grid)
    return grid


def list_neighbours(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """The next cells to the north, east, south and west."""
    x, y = cell
    return (x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)


def step_to(cell: Cell, side: str) -> Cell:
    """The next cell on that side."""
    east, north = OFFSETS[side]
    return cell[0] + east, cell[1] + north


def point_of(cell: Cell, side: str) -> Point:
    """The middle of a cell's side."""
    east, north = OFFSETS[side]
    return 2 * cell[0] + east, 2 * cell[1] + north


def name_point(point: Point) -> tuple[Cell, str]:
    """The canonical name of a point: the east side of the tile west of it, the north side of that south of it."""
    x, y = point
    return ((x // 2, y // 2), "E" if x % 2 else "N")
