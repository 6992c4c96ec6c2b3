"""An index of the lay-out: cells, sides, sockets (geometry of `state`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from games.gembatan.components import FLAT, LAID, SIDES
from games.gembatan.state import Cell, LaidGem, LaidTile, Point

OFFSETS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}
NO_TILE = "*"
"""Stands for the border of a cell where no tile lies."""

_NOTHING = NO_TILE * len(SIDES)
_NORTH, _EAST, _SOUTH, _WEST = range(4)
_WAYS = tuple((SIDES.index(side), SIDES.index(OPPOSITE[side]), *OFFSETS[side]) for side in SIDES)
"""Every side: its place in `SIDES`, that of the side opposite, and the step towards it."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Tiles by cell (their sides from north clockwise), gems by point, and the borders and sockets that are open."""

    sides: Mapping[Cell, str]
    gems: Mapping[Point, str]
    borders: Mapping[Cell, str]
    """The borders of every empty cell next to a tile, from north clockwise: a colour, `FLAT` or `NO_TILE`."""
    empty_sockets: Mapping[Point, str]
    """The sockets without a gem, with their border colours, south or west first."""

    def with_tile(self, cell: Cell, own: str, point: Point, gem: str) -> Grid:
        """The grid with one more tile, on a cell of `borders`, and a gem in a socket that it makes."""
        sides, borders, sockets = {**self.sides}, {**self.borders}, {**self.empty_sockets}
        _lay_tile(sides, borders, sockets, cell, own)
        del sockets[point]
        return Grid(sides, {**self.gems, point: gem}, borders, sockets)

    def with_gem(self, point: Point, gem: str) -> Grid:
        """The grid with a gem in one of the `empty_sockets`."""
        sockets = {**self.empty_sockets}
        del sockets[point]
        return Grid(self.sides, {**self.gems, point: gem}, self.borders, sockets)

    def socket(self, point: Point) -> str | None:
        """The border colours of the socket at this point, south or west first; None when there is none."""
        cell, side = name_point(point)
        one = self.sides.get(cell)
        other = self.sides.get(step_to(cell, side))
        if one is None or other is None:
            return None
        borders = one[_NORTH] + other[_SOUTH] if side == "N" else one[_EAST] + other[_WEST]
        return None if FLAT in borders else borders

    def list_open_cells(self) -> Iterator[Cell]:
        """The empty cells onto which a cutout opens."""
        for cell, borders in self.borders.items():
            if borders.strip(FLAT + NO_TILE):
                yield cell


def _lay_tile(
    sides: dict[Cell, str], borders: dict[Cell, str], sockets: dict[Point, str], cell: Cell, own: str
) -> None:
    """Enter a tile: its sides, the borders of the empty cells next to it, and its sockets."""
    x, y = cell
    sides[cell] = own
    around = borders.pop(cell, _NOTHING)
    for place, opposite, east, north in _WAYS:
        border, beyond = own[place], around[place]
        if beyond == NO_TILE:
            neighbour = x + east, y + north
            known = borders.get(neighbour, _NOTHING)
            borders[neighbour] = known[:opposite] + border + known[opposite + 1 :]
        elif border != FLAT and beyond != FLAT:
            met = border + beyond if place < opposite else beyond + border
            sockets[2 * x + east, 2 * y + north] = met


_latest: tuple[tuple[LaidTile, ...], tuple[LaidGem, ...], Grid] = ((), (), Grid({}, {}, {}, {}))


def build_grid(tiles: tuple[LaidTile, ...], gems: tuple[LaidGem, ...]) -> Grid:
    """The grid of a position. The latest is cached: a move is chosen, checked and weighed for every seat on one."""
    latest_tiles, latest_gems, grid = _latest
    if tiles is not latest_tiles or gems is not latest_gems:
        grid = _build_grid(tiles, gems)
        keep_grid(tiles, gems, grid)
    return grid


def keep_grid(tiles: tuple[LaidTile, ...], gems: tuple[LaidGem, ...], grid: Grid) -> None:
    """Cache a grid that is known to be that of these tiles and gems, in their order."""
    global _latest
    _latest = (tiles, gems, grid)


def _build_grid(tiles: tuple[LaidTile, ...], gems: tuple[LaidGem, ...]) -> Grid:
    sides: dict[Cell, str] = {}
    borders: dict[Cell, str] = {}
    sockets: dict[Point, str] = {}
    for tile in tiles:
        _lay_tile(sides, borders, sockets, tile.cell, LAID[tile.code][tile.facing])
    filled = {gem.point: gem.code for gem in gems}
    return Grid(sides, filled, borders, {point: met for point, met in sockets.items() if point not in filled})


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
