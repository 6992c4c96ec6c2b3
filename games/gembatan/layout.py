"""Places Gembatan's pieces on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone. The lay-out lies in a
part of the picture that a host may enlarge; what can be touched outside is at least 50 wide and high.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from games.board_text import shorten
from games.contract import Asked, Seat, seat_letter
from games.gembatan.components import FLAT, HAND, LAID, SIDES
from games.gembatan.grid import OFFSETS, OPPOSITE, Grid, build_grid, name_point, point_of
from games.gembatan.notation import write_cell
from games.gembatan.scoring import count_points
from games.gembatan.state import Cell, Codes, LaidGem, View, ask_at_table
from games.picture import Box, Gesture, Laid

WIDTH = 480
MARGIN = 12
INNER = WIDTH - 2 * MARGIN
HEADER = 44
GAP = 8
FLOOR_TOP, FLOOR_HEIGHT = HEADER + GAP, 400
AXIS = 22
"""Room for the coordinates west and south of the lay-out."""
LARGEST_TILE = 96
SMALLEST_LETTERED = 30
"""Smaller tiles are drawn without letters and inlays."""
UNIT = 60
"""The size at which the template defines tiles, halves and settings."""
NOTCH, RADIUS = 0.2, 0.2
"""In tiles: from the middle of a tile's side to that of its half of a socket, and the radius around that."""
SOCKET = 0.84
"""The box of a socket, in tiles: those of neighbours meet at their corners, their middles stay free."""
SPACE_INSET = 0.07
"""The distance of an empty cell's outline from its neighbours, in tiles."""
HEAD = 32
OWN_HEAD, PLACE, CAPTION = 54, 56, 16
"""The reader's panel: its upper part with the place to trade, the boxes of the pieces, and the names of tiles."""
OWN_TILE, OWN_GEM = 52, 63
"""The reader's pieces; a gem is as large as it is in a tile of this size."""
TRADE_WIDTH = 168
TRADED, TRADED_LEFT, TRADED_STEP = 19, 90, 21
"""How large the pieces lie that are set aside, right of the word, and how far apart."""
OTHER_TILE, OTHER_GEM, OTHER_PITCH = 46, 58, 52
PIECE_INSET, OWN_INSET = 8, 4
LEGEND = 30
NAME_SIZE = 14
TURN = {"N": 0, "E": 90, "S": 180, "W": 270}
"""Degrees by which a tile is turned that faces to a side."""
TURN_TO_CELL = {"E": 0, "S": 90, "W": 180, "N": 270}
"""Degrees by which a gem is turned whose first half lies on the tile with the socket at this side."""


@dataclass(frozen=True, slots=True)
class Gem:
    """A gem with its middle at x, y: its two colours from west to east, or from north to south if upright.

    `touch` is the box around it that can be touched.
    """

    x: float
    y: float
    scale: float
    code: str
    colours: str
    is_upright: bool
    piece: str
    """A name of its own, for equal gems too."""
    is_new: bool
    touch: Box

    @property
    def box(self) -> Box:
        long, short = 2 * (NOTCH + RADIUS) * UNIT * self.scale, 2 * RADIUS * UNIT * self.scale
        width, height = (short, long) if self.is_upright else (long, short)
        return _box_around(self.x, self.y, width, height)


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile with its middle at x, y, and those of its cutouts that hold no gem: sides and colours."""

    x: float
    y: float
    scale: float
    code: str
    cutouts: tuple[str, ...]
    """Colour and side, as in `RN`."""
    is_new: bool
    touch: Box

    @property
    def box(self) -> Box:
        return _box_around(self.x, self.y, UNIT * self.scale, UNIT * self.scale)


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

    x: int
    y: int
    width: int
    height: int
    letter: str
    name: str
    is_reader: bool
    is_turn: bool
    points: int
    in_hand: int
    score: int
    gems: tuple[Gem, ...]
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """Converts cells into user units."""

    west: int
    north: int
    size: float
    left: float
    top: float

    def middle(self, x: float, y: float) -> tuple[float, float]:
        """The middle of a cell, or of a place between cells."""
        return (
            round(self.left + (x - self.west + 0.5) * self.size, 1),
            round(self.top + (self.north - y + 0.5) * self.size, 1),
        )


@dataclass(frozen=True, slots=True)
class Board:
    """The whole picture."""

    width: int
    height: int
    is_over: bool
    actor: str
    tiles_left: int
    gems_left: int
    floor: Box
    """The part of the picture in which the lay-out lies."""
    frame: Frame
    is_lettered: bool
    spaces: tuple[Space, ...]
    tiles: tuple[Tile, ...]
    sides: tuple[tuple[str, str], ...]
    """Every laid tile's cell and its colours, from north clockwise."""
    gems: tuple[Gem, ...]
    columns: tuple[Coordinate, ...]
    rows: tuple[Coordinate, ...]
    panels: tuple[SeatPanel, ...]
    trade: Box | None
    """The place beside the hand onto which pieces are traded; None when the reader cannot."""
    legend: int


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    asked = asked or ask_at_table(view)
    grid = build_grid(view.tiles, view.gems)
    spaces = [] if asked.is_over else list(grid.list_open_cells())
    frame, rows, columns = _find_frame([*grid.sides, *spaces])
    named = ceil(AXIS / frame.size)
    panels, y = _place_seats(view, names, asked)
    return Board(
        width=WIDTH,
        height=y + LEGEND,
        is_over=asked.is_over,
        actor="" if asked.is_over else shorten(names[view.turn], 300, 16),
        tiles_left=view.tiles_left,
        gems_left=view.gems_left,
        floor=Box(MARGIN, FLOOR_TOP, INNER, FLOOR_HEIGHT),
        frame=frame,
        is_lettered=frame.size >= SMALLEST_LETTERED,
        spaces=tuple(_place_space(frame, cell) for cell in spaces),
        tiles=tuple(_place_tiles(view, grid, frame)),
        sides=tuple((write_cell(cell), sides) for cell, sides in grid.sides.items()),
        gems=tuple(_place_gems(view, grid, frame)),
        columns=tuple(
            Coordinate(frame.middle(x, 0)[0], FLOOR_TOP + FLOOR_HEIGHT - 7, x)
            for x in columns
            if x % named == 0
        ),
        rows=tuple(
            Coordinate(MARGIN + AXIS / 2, round(frame.middle(0, y)[1] + 4, 1), y)
            for y in rows
            if y % named == 0
        ),
        panels=panels,
        trade=_place_trade(view, asked, panels[0]),
        legend=y,
    )


def find_gesture(board: Board, begun: str, text: str) -> Gesture | None:
    """Touch the tile and its cell, again to turn it; a gem and its socket; the place to trade and each piece."""
    words = text.split()
    match text.split(" + ")[-1].split():
        case ["play", tile]:
            return Gesture([_touches(_find_tiles(board, tile))])
        case ["play", _, cell]:
            return Gesture([[_box_at(board, cell)]])
        case ["play", tile, cell, facing]:
            laid = [Laid(own.box, _box_at(board, cell), TURN[facing]) for own in _find_tiles(board, tile)]
            return Gesture([], laid)
        case ["gem", gem]:
            return Gesture([_touches(_find_gems(board, gem, words))])
        case ["gem", gem, cell, side]:
            colour = _find_border(board, cell, side, words) or gem[0]
            laid = _lay_gem(board, _find_gems(board, gem, words), cell, side, colour)
            return Gesture([[_box_at(board, cell, side)]], laid)
        case ["play", tile, cell, facing, "gem", gem, side]:
            own_gems = _find_gems(board, gem, words)
            laid = _lay_gem(board, own_gems, cell, side, LAID[tile][facing][SIDES.index(side)])
            return Gesture([_touches(own_gems), [_box_at(board, cell, side)]], laid)
        case ["trade"] if board.trade:
            return Gesture([[board.trade]])
        case ["trade", *_, piece] if board.trade:
            own: list[Gem | Tile] = [*_find_gems(board, piece, words), *_find_tiles(board, piece)]
            return Gesture([_touches(own)], _set_aside(board.trade, own, words))
        case _:
            return None


def find_marks(board: Board, seat: Seat, text: str) -> Sequence[Box]:
    """Find where the last move of this seat, in notation, is seen on this picture; empty if nowhere."""
    marks = []
    for step in text.split(" + "):
        match step.split():
            case ["play", _, cell, _, "gem", _, side]:
                marks += [_box_at(board, cell), _box_at(board, cell, side)]
            case ["gem", _, cell, side]:
                marks.append(_box_at(board, cell, side))
            case ["trade", *_] | ["pass"]:
                marks += [
                    Box(panel.x, panel.y, panel.width, panel.height)
                    for panel in board.panels
                    if panel.letter == seat_letter(seat)
                ]
    return marks


def _find_tiles(board: Board, code: str) -> list[Tile]:
    return [own for panel in board.panels if panel.is_reader for own in panel.tiles if own.code == code]


def _find_gems(board: Board, code: str, words: Sequence[str]) -> list[Gem]:
    """The reader's gems of this code that the move does not use before its last word that names it."""
    own = [own for panel in board.panels if panel.is_reader for own in panel.gems if own.code == code]
    return own[max(words.count(code) - 1, 0) :]


def _touches(own: Sequence[Gem | Tile]) -> list[Box]:
    return [piece.touch for piece in own]


def _lay_gem(board: Board, own: Sequence[Gem], cell: str, side: str, colour: str) -> list[Laid]:
    """The first of these gems in a socket of the cell, with the half of this colour on the cell's tile."""
    at = _box_at(board, cell, side)
    size = board.frame.size
    width, height = 2 * (NOTCH + RADIUS) * size, 2 * RADIUS * size
    box = _box_around(at.x + at.width / 2, at.y + at.height / 2, width, height, can_grow=True)
    return [
        Laid(gem.box, box, TURN_TO_CELL[side if gem.code[0] == colour else OPPOSITE[side]]) for gem in own[:1]
    ]


def _set_aside(trade: Box, own: Sequence[Gem | Tile], words: Sequence[str]) -> list[Laid]:
    """The first of these pieces on the place to trade: gems above, tiles below, in the order of the text."""
    laid = []
    for piece in own[:1]:
        is_gem = isinstance(piece, Gem)
        place = sum(len(word) == len(piece.code) for word in words if word.isupper()) - 1
        x, y = trade.x + TRADED_LEFT + place * TRADED_STEP, trade.y + (15 if is_gem else 33)
        laid.append(Laid(piece.box, _box_around(x, y, TRADED, TRADED / 2 if is_gem else TRADED)))
    return laid


def _find_border(board: Board, cell: str, side: str, words: Sequence[str]) -> str:
    """The colour that the cell's tile has on this side, be it laid already or by a step of this move; else empty."""
    for tile, its_cell, facing in zip(words, words[1:], words[2:], strict=False):
        if its_cell == cell and tile in LAID:
            return LAID[tile][facing][SIDES.index(side)]
    return dict(board.sides)[cell][SIDES.index(side)] if cell in dict(board.sides) else ""


def _box_around(x: float, y: float, width: float, height: float, *, can_grow: bool = False) -> Box:
    return Box(
        round(x - width / 2, 1),
        round(y - height / 2, 1),
        round(width, 1),
        round(height, 1),
        can_grow=can_grow,
    )


def _box_at(board: Board, cell: str, side: str = "") -> Box:
    """The box of a cell, or of the middle of one of its sides; it may be outside what the picture shows."""
    x, y = map(int, cell.split(","))
    east, north = OFFSETS.get(side, (0, 0))
    size = board.frame.size * (SOCKET if side else 1)
    return _box_around(*board.frame.middle(x + east / 2, y + north / 2), size, size, can_grow=True)


def _find_frame(cells: Sequence[Cell]) -> tuple[Frame, range, range]:
    """The frame in which all cells have room, the rows from north to south, the columns from west to east."""
    west, east = min(x for x, _ in cells), max(x for x, _ in cells)
    south, north = min(y for _, y in cells), max(y for _, y in cells)
    across, down = east - west + 1, north - south + 1
    room, depth = INNER - AXIS - GAP, FLOOR_HEIGHT - AXIS - GAP
    size = min(LARGEST_TILE, room / across, depth / down)
    left = MARGIN + AXIS + (room - size * across) / 2
    top = FLOOR_TOP + GAP + (depth - size * down) / 2
    return Frame(west, north, size, left, top), range(north, south - 1, -1), range(west, east + 1)


def _place_space(frame: Frame, cell: Cell) -> Space:
    x, y = frame.middle(*cell)
    half = frame.size * (0.5 - SPACE_INSET)
    return Space(round(x - half, 1), round(y - half, 1), round(2 * half, 1), write_cell(cell))


def _place_tiles(view: View, grid: Grid, frame: Frame) -> Iterator[Tile]:
    new = len(view.tiles) - view.latest[0]
    for place, tile in enumerate(view.tiles):
        empty = [
            colour + side
            for side, colour in zip(SIDES, grid.sides[tile.cell], strict=True)
            if colour != FLAT and point_of(tile.cell, side) not in grid.gems
        ]
        x, y = frame.middle(*tile.cell)
        touch = _box_around(x, y, frame.size, frame.size)
        scale = round(frame.size / UNIT, 3)
        yield Tile(x, y, scale, tile.code, tuple(empty), place >= new, touch)


def _place_gems(view: View, grid: Grid, frame: Frame) -> Iterator[Gem]:
    new = len(view.gems) - view.latest[1]
    counts: Counter[str] = Counter()
    for place, gem in enumerate(view.gems):
        counts[gem.code] += 1
        yield _place_laid_gem(frame, grid, gem, f"{gem.code}{counts[gem.code]}", is_new=place >= new)


def _place_laid_gem(frame: Frame, grid: Grid, gem: LaidGem, piece: str, *, is_new: bool) -> Gem:
    """A gem in its socket, with each half on the tile that has its colour."""
    cell, side = name_point(gem.point)
    east, north = OFFSETS[side]
    x, y = frame.middle(cell[0] + east / 2, cell[1] + north / 2)
    borders = grid.socket(gem.point) or gem.code
    colours = borders if side == "E" else borders[::-1]
    touch = _box_around(x, y, frame.size * SOCKET, frame.size * SOCKET)
    return Gem(x, y, round(frame.size / UNIT, 3), gem.code, colours, side == "N", piece, is_new, touch)


def _place_seats(view: View, names: Sequence[str], asked: Asked) -> tuple[tuple[SeatPanel, ...], int]:
    """The reader first, over the whole width, then the others from the reader's left, two side by side.

    Returns the panels and the height below them.
    """
    count = len(view.points)
    order = [((view.reader or 0) + place) % count for place in range(count)]
    pieces = _name_gems(view)
    half = (INNER - GAP) // 2
    y = FLOOR_TOP + FLOOR_HEIGHT + GAP
    panels = []
    if view.reader is not None:
        height = OWN_HEAD + PLACE + CAPTION + 4
        panels.append(_place_seat(view, names, asked, order.pop(0), pieces, (MARGIN, y, INNER, height)))
        y += height + GAP
    height = HEAD + OTHER_PITCH // 2 + OTHER_PITCH + 2
    for place, seat in enumerate(order):
        x = MARGIN + place % 2 * (half + GAP)
        panels.append(_place_seat(view, names, asked, seat, pieces, (x, y, half, height)))
        if place % 2 or seat == order[-1]:
            y += height + GAP
    return tuple(panels), y


def _name_gems(view: View) -> list[list[str]]:
    """A name for every gem in every hand.

    Equal gems that lie are numbered; one that a single seat has takes the next number, so that it keeps its name when
    it is laid. Where several seats have it nobody can tell which of them will be next.
    """
    laid = Counter(gem.code for gem in view.gems)
    holders = Counter(code for hand in view.gem_hands for code in set(hand))
    named = []
    for seat, hand in enumerate(view.gem_hands):
        names = []
        for place, code in enumerate(hand):
            number = hand[: place + 1].count(code)
            owner, first = (f"-{seat_letter(seat)}", 0) if holders[code] > 1 else ("", laid[code])
            names.append(f"{code}{owner}{first + number}")
        named.append(names)
    return named


def _place_seat(
    view: View,
    names: Sequence[str],
    asked: Asked,
    seat: Seat,
    pieces: Sequence[Sequence[str]],
    place: tuple[int, int, int, int],
) -> SeatPanel:
    x, y, width, height = place
    is_reader = seat == view.reader
    gems, tiles = view.gem_hands[seat], view.tile_hands[seat]
    if is_reader:
        left, top = x + OWN_INSET, y + OWN_HEAD
        own_gems = _place_gem_hand(gems, pieces[seat], left, top, (PLACE, PLACE), OWN_GEM)
        own_tiles = _place_tile_hand(tiles, left + HAND * PLACE, top, PLACE, OWN_TILE)
    else:
        left, flat = x + PIECE_INSET, OTHER_PITCH // 2
        own_gems = _place_gem_hand(gems, pieces[seat], left, y + HEAD - 4, (OTHER_PITCH, flat), OTHER_GEM)
        own_tiles = _place_tile_hand(tiles, left, y + HEAD + flat, OTHER_PITCH, OTHER_TILE)
    return SeatPanel(
        x=x,
        y=y,
        width=width,
        height=height,
        letter=seat_letter(seat),
        name=shorten(names[seat], width - (240 if is_reader else 108), NAME_SIZE),
        is_reader=is_reader,
        is_turn=seat in asked.seats,
        points=view.points[seat],
        in_hand=len(gems),
        score=count_points(view)[seat],
        gems=tuple(own_gems),
        tiles=tuple(own_tiles),
    )


def _place_gem_hand(
    gems: Codes, pieces: Sequence[str], x: int, y: int, room: tuple[int, int], size: int
) -> Iterator[Gem]:
    """A row of gems, each in the middle of a box of this room."""
    width, height = room
    for place, (gem, piece) in enumerate(zip(gems, pieces, strict=True)):
        left = x + place * width
        middle = left + width / 2, y + height / 2
        yield Gem(*middle, size / UNIT, gem, gem, False, piece, False, Box(left, y, width, height))


def _place_tile_hand(tiles: Codes, x: int, y: int, room: int, size: int) -> Iterator[Tile]:
    for place, tile in enumerate(tiles):
        left = x + place * room
        cutouts = tuple(
            colour + side for side, colour in zip(SIDES, LAID[tile]["N"], strict=True) if colour != FLAT
        )
        middle = left + room / 2, y + room / 2
        yield Tile(*middle, round(size / UNIT, 3), tile, cutouts, False, Box(left, y, room, room))


def _place_trade(view: View, asked: Asked, own: SeatPanel) -> Box | None:
    """The place above the reader's tiles."""
    seat = view.turn
    can_trade = (view.gems_left and view.gem_hands[seat]) or (view.tiles_left and view.tile_hands[seat])
    if view.reader != seat or asked.is_over or not can_trade:
        return None
    return Box(own.x + own.width - OWN_INSET - TRADE_WIDTH, own.y, TRADE_WIDTH, OWN_HEAD)
