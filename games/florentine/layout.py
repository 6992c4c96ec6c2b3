"""Places Florentine Domino's cards on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from games.contract import Asked, Box, Seat, seat_letter
from games.florentine.scoring import find_closed_triangles, list_walls, score_seats
from games.florentine.square import CELL_NUMBER, CELLS, GEM_OF, SIDES, SIZE, open_cells
from games.florentine.state import Black, Cards, Phase, View, ask_at_table

WIDTH = 480
MARGIN = 12
HEADER = 44
SEAT_HEIGHT, SEAT_GAP = 46, 8
CELL = 60
BOARD_LEFT = (WIDTH - SIZE * CELL) // 2
RIM = 28
"""Room around the square for black cards and for the names of columns and rows."""
BLACK_DEPTH = 9
LABEL = 19
"""The distance from the square to the names of columns and rows."""
OWN_CARD, POOL_CARD = 60, 50
SIDE_DEPTH, INSET = 34, 10
"""Boxes at the sides of a cell: their depth, and how far they reach into it and stay away from its corners."""
TITLE = 24
CAPTION = 17
GAP = 8
LEGEND = 40
LONGEST_NAME = 13
LIGHT = {"r": "#f2a49b", "b": "#a9c9ee", "g": "#a8d8a8", "o": "#f3d58a"}
DARK = {"r": "#a8201a", "b": "#1d4f91", "g": "#1c6b3a", "o": "#8a5a00"}
"""Shades of each colour: for open triangles, and for closed rooms."""


@dataclass(frozen=True, slots=True)
class Triangle:
    """One triangle of a card: its corners as SVG points, the middle of its letter."""

    points: str
    colour: str
    fill: str
    closed: bool
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Gem:
    """The middle of a gem and the colour on which it lies."""

    x: float
    y: float
    colour: str
    scale: float


@dataclass(frozen=True, slots=True)
class Card:
    """A card; x and y are its upper left corner, `caption` the place of its code."""

    x: float
    y: float
    size: int
    code: str
    triangles: tuple[Triangle, ...]
    gem: Gem | None
    caption_x: float
    caption_y: float


@dataclass(frozen=True, slots=True)
class Cell:
    """A free cell; `is_open` if a card may be put there."""

    x: int
    y: int
    name: str
    is_open: bool
    middle_x: int
    middle_y: int


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a column or row."""

    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class BlackCard:
    """A black card at the rim, with the small triangle of its colour."""

    x: int
    y: int
    width: int
    height: int
    points: str
    fill: str


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """One seat."""

    x: int
    y: int
    width: int
    letter: str
    name: str
    colour: str
    fill: str
    is_reader: bool
    is_turn: bool
    score: int
    cards: int
    has_black: bool
    """True if the black card is still to be laid or kept."""


@dataclass(frozen=True, slots=True)
class Row:
    """Cards that lie beside the square, with the height of their title; 0 cards hide it."""

    y: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The whole picture."""

    width: int
    height: int
    phase: str
    is_over: bool
    actor: str
    laid: int
    pile: int
    left: int
    top: int
    side: int
    cell: int
    seats: tuple[SeatPanel, ...]
    labels: tuple[Label, ...]
    cells: tuple[Cell, ...]
    cards: tuple[Card, ...]
    blacks: tuple[BlackCard, ...]
    hand: Row
    pool: Row
    legend: int


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    asked = asked or ask_at_table(view)
    seats = _place_seats(view, names, asked)
    top = seats[-1].y + SEAT_HEIGHT + RIM + GAP
    below = top + SIZE * CELL + RIM
    hand, below = _place_row(view.hand, OWN_CARD, below)
    pool, below = _place_row(view.pool, POOL_CARD, below)
    closed = find_closed_triangles(view.square, list_walls(view.blacks))
    return Board(
        width=WIDTH,
        height=below + LEGEND,
        phase=view.phase.value,
        is_over=asked.is_over,
        actor="" if asked.is_over else _shorten(names[view.turn]),
        laid=sum([1 for look in view.square if look]),
        pile=view.pile_size,
        left=BOARD_LEFT,
        top=top,
        side=SIZE * CELL,
        cell=CELL,
        seats=seats,
        labels=_place_labels(top),
        cells=_place_cells(view, top),
        cards=tuple(
            _place_laid_card(cell, look, top, closed) for cell, look in enumerate(view.square) if look
        ),
        blacks=tuple(
            _place_black(black, view.colours[seat], top) for seat, black in enumerate(view.blacks) if black
        ),
        hand=hand,
        pool=pool,
        legend=below,
    )


def find_boxes(board: Board, begun: str, text: str) -> tuple[Box, ...]:
    """The card, the cell, the side of the cell to which the card faces, or the edge for a black card."""
    match text.split():
        case ["place", card] | ["discard", card]:
            return tuple(
                Box(own.x, own.y, own.size, own.size)
                for own in (*board.hand.cards, *board.pool.cards)
                if own.code == card
            )
        case ["place", _, cell, facing] if cell in begun.split():
            return (_box_at_side(board, cell, facing),)
        case ["place", _, cell, *_]:
            x, y = _corner(CELL_NUMBER[cell], board.top)
            return (Box(x, y, CELL, CELL),)
        case ["black", cell, edge]:
            return (_box_at_side(board, cell, edge),)
        case _:
            return ()


def _box_at_side(board: Board, cell: str, side: str) -> Box:
    """Place a box mostly outside the cell, so that the four boxes of a cell do not touch each other."""
    x, y = _corner(CELL_NUMBER[cell], board.top)
    width, height = (CELL - 2 * INSET, SIDE_DEPTH) if side in "NS" else (SIDE_DEPTH, CELL - 2 * INSET)
    out = SIDE_DEPTH - INSET
    match side:
        case "N":
            return Box(x + INSET, y - out, width, height, side)
        case "S":
            return Box(x + INSET, y + CELL - INSET, width, height, side)
        case "E":
            return Box(x + CELL - INSET, y + INSET, width, height, side)
        case _:
            return Box(x - out, y + INSET, width, height, side)


def _place_seats(view: View, names: Sequence[str], asked: Asked) -> tuple[SeatPanel, ...]:
    """Two seats side by side."""
    width = (WIDTH - 2 * MARGIN - SEAT_GAP) // 2
    scores = score_seats(view.colours, view.square, view.blacks)
    return tuple(
        SeatPanel(
            x=MARGIN + seat % 2 * (width + SEAT_GAP),
            y=HEADER + GAP + seat // 2 * (SEAT_HEIGHT + SEAT_GAP),
            width=width,
            letter=seat_letter(seat),
            name=_shorten(names[seat]),
            colour=view.colours[seat],
            fill=LIGHT[view.colours[seat]],
            is_reader=seat == view.reader,
            is_turn=seat in asked.seats,
            score=scores[seat],
            cards=view.hand_sizes[seat],
            has_black=not _has_answered(view, seat),
        )
        for seat in range(len(view.colours))
    )


def _has_answered(view: View, seat: Seat) -> bool:
    """Return whether the seat has laid or kept its black card."""
    if view.phase is not Phase.BLACK:
        return view.phase is Phase.OVER
    seats = len(view.colours)
    return (seat - view.turn) % seats >= seats - view.answered


def _corner(cell: int, top: int) -> tuple[int, int]:
    """The upper left corner of a cell."""
    column, row = divmod(cell, SIZE)
    return BOARD_LEFT + column * CELL, top + (SIZE - 1 - row) * CELL


def _place_labels(top: int) -> tuple[Label, ...]:
    labels = []
    bottom = top + SIZE * CELL
    for place in range(SIZE):
        middle = place * CELL + CELL // 2
        column, row = "abcdefg"[place], str(SIZE - place)
        labels += [
            Label(BOARD_LEFT + middle, top - LABEL + 5, column),
            Label(BOARD_LEFT + middle, bottom + LABEL + 5, column),
            Label(BOARD_LEFT - LABEL, top + middle + 5, row),
            Label(WIDTH - BOARD_LEFT + LABEL, top + middle + 5, row),
        ]
    return tuple(labels)


def _place_cells(view: View, top: int) -> tuple[Cell, ...]:
    opened = open_cells(view.square) if view.phase in (Phase.HANDS, Phase.POOL) else ()
    cells = []
    for cell, look in enumerate(view.square):
        if not look:
            x, y = _corner(cell, top)
            cells.append(Cell(x, y, CELLS[cell], cell in opened, x + CELL // 2, y + CELL // 2 + 5))
    return tuple(cells)


def _place_laid_card(cell: int, look: str, top: int, closed: Collection[int]) -> Card:
    x, y = _corner(cell, top)
    return _place_card(
        look, x, y, CELL, look, frozenset(side for side in range(4) if 4 * cell + side in closed)
    )


def _place_row(cards: Cards, size: int, y: int) -> tuple[Row, int]:
    """The cards in rows that fill the picture's width, and the height below them."""
    if not cards:
        return Row(y, ()), y
    in_row = (WIDTH - 2 * MARGIN + GAP) // (size + GAP)
    placed = []
    for place, code in enumerate(cards):
        x = MARGIN + place % in_row * (size + GAP)
        card_y = y + TITLE + place // in_row * (size + CAPTION + GAP // 2)
        placed.append(_place_card(code, x, card_y, size, code, frozenset()))
    rows = (len(cards) + in_row - 1) // in_row
    return Row(y + TITLE - GAP, tuple(placed)), y + TITLE + rows * (size + CAPTION + GAP // 2) + GAP // 2


def _place_card(look: str, x: int, y: int, size: int, code: str, closed: Collection[int]) -> Card:
    gem = GEM_OF[look]
    corner = _find_gem_corner(look, gem)
    return Card(
        x=x,
        y=y,
        size=size,
        code=code,
        triangles=tuple(_place_triangle(look, side, x, y, size, corner, side in closed) for side in range(4)),
        gem=_place_gem(gem, corner, x, y, size) if gem else None,
        caption_x=x + size / 2,
        caption_y=y + size + 12,
    )


_CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
"""The corners of a card from the upper left, clockwise; a side runs from the corner of its number to the next."""
_LETTERS = ((0.5, 0.17), (0.83, 0.5), (0.5, 0.83), (0.17, 0.5))
"""The place of each side's letter."""
_AWAY = 0.16
"""The distance by which a letter makes room for a gem."""
_TOWARDS = 0.3
"""The distance of a gem from its corner."""


def _find_gem_corner(look: str, gem: str) -> int | None:
    """The number of the corner at which the two sides meet that hold the gem."""
    if not gem:
        return None
    return next((side + 1) % 4 for side in range(4) if look[side] == look[(side + 1) % 4] == gem)


def _place_triangle(
    look: str, side: int, x: int, y: int, size: int, corner: int | None, closed: bool
) -> Triangle:
    start, end = _CORNERS[side], _CORNERS[(side + 1) % 4]
    points = ((start[0], start[1]), (end[0], end[1]), (0.5, 0.5))
    across, down = _LETTERS[side]
    if corner in (side, (side + 1) % 4):
        away = end if corner == side else start
        across += (away[0] - 0.5) * 2 * _AWAY if side % 2 == 0 else 0
        down += (away[1] - 0.5) * 2 * _AWAY if side % 2 == 1 else 0
    return Triangle(
        points=" ".join(f"{x + size * a:g},{y + size * d:g}" for a, d in points),
        colour=look[side],
        fill=(DARK if closed else LIGHT)[look[side]],
        closed=closed,
        x=round(x + size * across, 1),
        y=round(y + size * down + 4, 1),
    )


def _place_gem(gem: str, corner: int | None, x: int, y: int, size: int) -> Gem:
    across, down = _CORNERS[corner or 0]
    return Gem(
        x=round(x + size * (across + _TOWARDS * (1 - 2 * across)), 1),
        y=round(y + size * (down + _TOWARDS * (1 - 2 * down)), 1),
        colour=gem,
        scale=round(size / CELL, 2),
    )


def _place_black(black: Black, colour: str, top: int) -> BlackCard:
    """The black card along the outside of its edge; the small triangle points inwards."""
    x, y = _corner(CELL_NUMBER[black.cell], top)
    inset, depth, half = 6, BLACK_DEPTH, CELL // 2
    match SIDES.index(black.edge):
        case 0:
            box = (x + inset, y - depth, CELL - 2 * inset, depth)
            points = f"{x + half - 7},{y - depth + 1} {x + half + 7},{y - depth + 1} {x + half},{y}"
        case 1:
            box = (x + CELL, y + inset, depth, CELL - 2 * inset)
            right = x + CELL + depth - 1
            points = f"{right},{y + half - 7} {right},{y + half + 7} {x + CELL},{y + half}"
        case 2:
            box = (x + inset, y + CELL, CELL - 2 * inset, depth)
            low = y + CELL + depth - 1
            points = f"{x + half - 7},{low} {x + half + 7},{low} {x + half},{y + CELL}"
        case _:
            box = (x - depth, y + inset, depth, CELL - 2 * inset)
            points = f"{x - depth + 1},{y + half - 7} {x - depth + 1},{y + half + 7} {x},{y + half}"
    return BlackCard(*box, points=points, fill=LIGHT[colour])


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
