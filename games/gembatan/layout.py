"""Places Gembatan's pieces on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone. The lay-out is as
large as that width allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.contract import Asked, Box, Seat, seat_letter
from games.gembatan.components import FLAT, LAID, SIDES
from games.gembatan.grid import OFFSETS, OPPOSITE, Grid, build_grid, name_point, step_to
from games.gembatan.notation import write_cell
from games.gembatan.scoring import count_points
from games.gembatan.state import Cell, Codes, Point, View, ask_at_table

WIDTH = 480
MARGIN = 12
INNER = WIDTH - 2 * MARGIN
HEADER = 56
AXIS = 22
"""Room for the coordinates west and south of the lay-out."""
LARGEST_TILE = 76
SYMBOL = 20
"""The size at which the template defines the symbols of the colours."""
NOTCH = 0.2
"""The distance from the middle of a tile's side to the middle of its half of a socket, in tiles."""
HALF = 0.34
"""The size of a half, in tiles."""
SPACE_INSET = 0.08
"""The distance of an empty cell's outline from its neighbours, in tiles."""
HAND_TILE = 46
HAND_GAP = 9
PANEL = 104
GAP = 8
LONGEST_NAME = 15


@dataclass(frozen=True, slots=True)
class Half:
    """One half of a gem or of a socket: the symbol of its colour; x and y are its middle."""

    x: float
    y: float
    colour: str
    scale: float


@dataclass(frozen=True, slots=True)
class Gem:
    """A gem or an empty socket: the capsule that holds its halves; x and y are its upper left corner.

    `code` names the halves in the order in which they lie.
    """

    x: float
    y: float
    width: float
    height: float
    radius: float
    code: str
    halves: tuple[Half, ...]
    is_new: bool = False
    label_x: float = 0
    label_y: float = 0


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile and those of its cutouts that no other tile has met; x and y are its upper left corner."""

    x: float
    y: float
    size: float
    code: str
    cutouts: tuple[Half, ...]
    is_new: bool = False
    label_x: float = 0
    label_y: float = 0


@dataclass(frozen=True, slots=True)
class Space:
    """An empty cell next to a cutout; x and y are its upper left corner."""

    x: float
    y: float
    size: float
    cell: str


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A number beside a row or below a column."""

    x: float
    y: float
    number: int


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """One seat with its hand."""

    y: int
    height: int
    letter: str
    name: str
    is_reader: bool
    is_turn: bool
    points: int
    score: int
    gems: tuple[Gem, ...]
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The whole picture."""

    width: int
    height: int
    inner: int
    is_over: bool
    actor: str
    tiles_left: int
    gems_left: int
    floor_y: int
    floor_height: int
    spaces: tuple[Space, ...]
    tiles: tuple[Tile, ...]
    sockets: tuple[Gem, ...]
    """The empty sockets."""
    gems: tuple[Gem, ...]
    columns: tuple[Coordinate, ...]
    rows: tuple[Coordinate, ...]
    panels: tuple[SeatPanel, ...]


@dataclass(frozen=True, slots=True)
class _Frame:
    """Converts cells into user units."""

    west: int
    north: int
    size: float
    left: float
    top: float

    def middle(self, x: float, y: float) -> tuple[float, float]:
        """The middle of a cell, or of a place between cells."""
        return (
            self.left + (x - self.west + 0.5) * self.size,
            self.top + (self.north - y + 0.5) * self.size,
        )


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    asked = asked or ask_at_table(view)
    grid = build_grid(view.tiles, view.gems)
    spaces = [] if asked.is_over else list(grid.list_open_cells())
    frame, rows, columns = _find_frame([*grid.sides, *spaces])
    floor_height = round(len(rows) * frame.size) + AXIS + GAP
    y = HEADER + floor_height + GAP
    scores = count_points(view)
    panels = []
    for seat, score in enumerate(scores):
        panels.append(_place_seat(view, seat, asked, names[seat], score, y))
        y += PANEL + GAP
    return Board(
        width=WIDTH,
        height=y - GAP + MARGIN,
        inner=INNER,
        is_over=asked.is_over,
        actor="" if asked.is_over else _shorten(names[view.turn]),
        tiles_left=view.tiles_left,
        gems_left=view.gems_left,
        floor_y=HEADER,
        floor_height=floor_height,
        spaces=tuple(_place_space(frame, cell) for cell in spaces),
        tiles=tuple(_place_tiles(view, grid, frame)),
        sockets=tuple(
            _place_laid_gem(frame, point, borders) for point, borders in grid.empty_sockets.items()
        ),
        gems=tuple(_place_gems(view, grid, frame)),
        columns=tuple(
            Coordinate(round(frame.middle(x, 0)[0], 1), HEADER + floor_height - 8, x) for x in columns
        ),
        rows=tuple(Coordinate(MARGIN + AXIS / 2, round(frame.middle(0, y)[1] + 4, 1), y) for y in rows),
        panels=tuple(panels),
    )


def find_boxes(board: Board, begun: str, text: str) -> tuple[Box, ...]:
    """Find the tile of the hand, its cell, the side to which it faces; a gem with its socket; traded pieces."""
    match text.split(" + ")[-1].split():
        case ["play", tile]:
            return tuple(_find_tiles(board, tile))
        case ["play", _, cell]:
            return (_box_at(board, cell),)
        case ["play", _, cell, facing]:
            return (_box_at(board, cell, facing, facing),)
        case ["gem", gem]:
            return tuple(_find_gems(board, gem))
        case ["play", _, cell, _, "gem", gem, side] | ["gem", gem, cell, side]:
            return (_box_at(board, cell, side), *_find_gems(board, gem))
        case ["trade", *_, piece]:
            return (*_find_gems(board, piece), *_find_tiles(board, piece))
        case _:
            return ()


def _find_tiles(board: Board, code: str) -> Iterator[Box]:
    for panel in board.panels:
        if panel.is_reader:
            yield from (Box(own.x, own.y, own.size, own.size) for own in panel.tiles if own.code == code)


def _find_gems(board: Board, code: str) -> Iterator[Box]:
    for panel in board.panels:
        if panel.is_reader:
            yield from (Box(own.x, own.y, own.width, own.height) for own in panel.gems if own.code == code)


def _box_at(board: Board, cell: str, side: str = "", mark: str = "") -> Box:
    """The box of a cell, or of the middle of one of its sides, with the size of an empty cell: there always is one."""
    x, y = map(int, cell.split(","))
    space = board.spaces[0]
    west, south = map(int, space.cell.split(","))
    pitch = space.size / (1 - 2 * SPACE_INSET)
    east, north = OFFSETS.get(side, (0, 0))
    middle_x = space.x + space.size / 2 + (x - west + east / 2) * pitch
    middle_y = space.y + space.size / 2 - (y - south + north / 2) * pitch
    size = pitch * 0.5 if side else pitch
    return Box(
        round(middle_x - size / 2, 1),
        round(middle_y - size / 2, 1),
        round(size, 1),
        round(size, 1),
        mark,
    )


def _find_frame(cells: Sequence[Cell]) -> tuple[_Frame, range, range]:
    """The frame in which all cells have room, the rows from north to south, the columns from west to east."""
    west, east = min(x for x, _ in cells), max(x for x, _ in cells)
    south, north = min(y for _, y in cells), max(y for _, y in cells)
    room = INNER - AXIS - GAP
    size = min(LARGEST_TILE, room / (east - west + 1))
    left = MARGIN + AXIS + (room - size * (east - west + 1)) / 2
    frame = _Frame(west, north, size, left, HEADER + GAP)
    return frame, range(north, south - 1, -1), range(west, east + 1)


def _place_space(frame: _Frame, cell: Cell) -> Space:
    x, y = frame.middle(*cell)
    inset = frame.size * SPACE_INSET
    half = frame.size / 2 - inset
    return Space(round(x - half, 1), round(y - half, 1), round(2 * half, 1), write_cell(cell))


def _place_tiles(view: View, grid: Grid, frame: _Frame) -> Iterator[Tile]:
    new = len(view.tiles) - view.latest[0]
    for place, tile in enumerate(view.tiles):
        sides = grid.sides[tile.cell]
        seen = [
            (side, colour)
            for side, colour in zip(SIDES, sides, strict=True)
            if colour != FLAT and step_to(tile.cell, side) not in grid.sides
        ]
        x, y = frame.middle(*tile.cell)
        yield _place_tile(tile.code, x, y, frame.size, seen, is_new=place >= new)


def _place_tile(
    code: str, x: float, y: float, size: float, cutouts: Sequence[tuple[str, str]], *, is_new: bool = False
) -> Tile:
    """The tile with its middle at x, y; `cutouts` are sides and colours."""
    return Tile(
        x=round(x - size / 2, 1),
        y=round(y - size / 2, 1),
        size=round(size, 1),
        code=code,
        cutouts=tuple(_place_half(x, y, size, side, colour) for side, colour in cutouts),
        is_new=is_new,
        label_x=round(x, 1),
        label_y=round(y + size / 2 + 14, 1),
    )


def _place_half(x: float, y: float, size: float, side: str, colour: str) -> Half:
    """The half that lies on the given side of a tile with its middle at x, y."""
    east, north = OFFSETS[side]
    reach = size * (0.5 - NOTCH)
    return Half(
        round(x + east * reach, 1), round(y - north * reach, 1), colour, round(size * HALF / SYMBOL, 3)
    )


def _place_gems(view: View, grid: Grid, frame: _Frame) -> Iterator[Gem]:
    new = len(view.gems) - view.latest[1]
    for place, gem in enumerate(view.gems):
        borders = grid.socket(gem.point) or gem.code
        yield _place_laid_gem(frame, gem.point, borders, is_new=place >= new)


def _place_laid_gem(frame: _Frame, point: Point, borders: str, *, is_new: bool = False) -> Gem:
    """A gem in a socket, or the empty socket, with each half on the tile that has its colour."""
    cell, side = name_point(point)
    one = _place_half(*frame.middle(*cell), frame.size, side, borders[0])
    other = _place_half(*frame.middle(*step_to(cell, side)), frame.size, OPPOSITE[side], borders[1])
    return _wrap_halves(one, other, frame.size, borders, is_new=is_new)


def _wrap_halves(one: Half, other: Half, size: float, code: str, *, is_new: bool = False) -> Gem:
    radius = size * 0.22
    x, y = min(one.x, other.x) - radius, min(one.y, other.y) - radius
    width, height = abs(one.x - other.x) + 2 * radius, abs(one.y - other.y) + 2 * radius
    return Gem(
        x=round(x, 1),
        y=round(y, 1),
        width=round(width, 1),
        height=round(height, 1),
        radius=round(radius, 1),
        code=code,
        halves=(one, other),
        is_new=is_new,
        label_x=round(x + width / 2, 1),
        label_y=round(y + height + 14, 1),
    )


def _place_seat(view: View, seat: Seat, asked: Asked, name: str, score: int, y: int) -> SeatPanel:
    return SeatPanel(
        y=y,
        height=PANEL,
        letter=seat_letter(seat),
        name=_shorten(name),
        is_reader=seat == view.reader,
        is_turn=seat in asked.seats,
        points=view.points[seat],
        score=score,
        gems=tuple(_place_gem_hand(view.gem_hands[seat], y)),
        tiles=tuple(_place_tile_hand(view.tile_hands[seat], y)),
    )


def _place_gem_hand(gems: Codes, y: int) -> Iterator[Gem]:
    for place, gem in enumerate(gems):
        x = MARGIN + 30 + place * (HAND_TILE + HAND_GAP - 2)
        middle = y + 34 + HAND_TILE / 2
        scale = HAND_TILE * HALF / SYMBOL
        reach = HAND_TILE * NOTCH
        one = Half(round(x - reach, 1), middle, gem[0], round(scale, 3))
        other = Half(round(x + reach, 1), middle, gem[1], round(scale, 3))
        yield _wrap_halves(one, other, HAND_TILE, gem)


def _place_tile_hand(tiles: Codes, y: int) -> Iterator[Tile]:
    for place, tile in enumerate(tiles):
        x = WIDTH - MARGIN - 30 - (3 - place) * (HAND_TILE + HAND_GAP)
        cutouts = [
            (side, colour) for side, colour in zip(SIDES, LAID[tile]["N"], strict=True) if colour != FLAT
        ]
        yield _place_tile(tile, x, y + 34 + HAND_TILE / 2, HAND_TILE, cutouts)


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
