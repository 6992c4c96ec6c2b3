"""Places Florentine Domino's cards on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone. What can be touched is at
least 50 wide and high, and lies within the first 700.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from games.board_text import shorten
from games.contract import Asked, Seat, seat_letter
from games.florentine.scoring import find_closed_triangles, list_walls, score_seats
from games.florentine.square import (
    ACROSS,
    CARD_OF,
    CELL_NUMBER,
    CELLS,
    CENTRE,
    GEM_OF,
    LOOKS,
    OUTSIDE,
    SIZE,
    open_cells,
)
from games.florentine.state import Black, Cards, Phase, View, ask_at_table
from games.picture import Box, Gesture, Laid

WIDTH = 480
MARGIN = 12
INNER = WIDTH - 2 * MARGIN
HEADER = 44
CELL = 60
BOARD_LEFT = (WIDTH - SIZE * CELL) // 2
RIM, LOWER_RIM = 12, 24
"""Room above and below the square, for black cards and for the names of columns."""
LABEL = 19
"""The distance from the square to the names of rows and columns."""
BLACK_LENGTH, BLACK_DEPTH = 48, 9
OWN_CARD = 72
OWN_BLACK = 2.4
"""How much larger than at the rim a black card lies beside the hand."""
PANEL, PANEL_GAP = 46, 8
CAPTION = 16
PLACE_HEIGHT = 50
DISCARDED = 44
"""A card of the hand while it lies on the place to discard."""
POOL_PITCHES = ((64, 3), (57, 3), (50, 4))
"""Distances of pool cards, with the rows that there is room for; with more cards they lie closer."""
POOL_GAP = 4
GAP = 8
LEGEND = 34
NAME_SIZE = 14
TURN = {"N": 0, "E": 90, "S": 180, "W": 270}
"""Degrees by which a card is turned that faces to a side."""


@dataclass(frozen=True, slots=True)
class Side:
    """One triangle of a card that faces north: the degrees by which it is turned, and its colour."""

    turn: int
    colour: str
    is_closed: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A card; x and y are its upper left corner, `turn` the degrees by which it lies turned.

    `touch` is the box around it that can be touched.
    """

    x: float
    y: float
    size: float
    code: str
    turn: int
    sides: tuple[Side, ...]
    gem: str
    """The colour of its gem, empty without one; `gem_turn`: the degrees from its upper right corner."""
    gem_turn: int
    touch: Box

    @property
    def scale(self) -> float:
        return round(self.size / CELL, 3)


@dataclass(frozen=True, slots=True)
class Cell:
    """A free cell; `is_open` if a card may be put there."""

    x: int
    y: int
    name: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a column or row."""

    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class BlackCard:
    """A black card with its middle at x, y; its small triangle points south before it is turned."""

    x: float
    y: float
    turn: int
    scale: float
    letter: str
    colour: str

    @property
    def box(self) -> Box:
        """The card as it lies before it is turned."""
        width, height = BLACK_LENGTH * self.scale, BLACK_DEPTH * self.scale
        return Box(
            round(self.x - width / 2, 1), round(self.y - height / 2, 1), round(width, 1), round(height, 1)
        )


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """One seat; the reader's own has the hand in it."""

    x: int
    y: int
    width: int
    height: int
    letter: str
    name: str
    colour: str
    is_reader: bool
    is_turn: bool
    score: int
    cards: int
    has_black: bool
    """True if the black card is still to be laid or kept."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The open cards, with the height of their title; 0 where there is none."""

    title: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The whole picture."""

    width: int
    height: int
    phase: str
    is_over: bool
    actor: str
    pile: int
    left: int
    top: int
    side: int
    cell: int
    seats: tuple[SeatPanel, ...]
    labels: tuple[Label, ...]
    cells: tuple[Cell, ...]
    cards: tuple[Card, ...]
    walls: str
    """The walls of all closed rooms, as the data of an SVG path."""
    blacks: tuple[BlackCard, ...]
    hand: tuple[Card, ...]
    own_black: BlackCard | None
    """The reader's black card while it is to be laid or kept."""
    discard: Box | None
    """The place beside the hand onto which a card is discarded; None when the reader cannot."""
    keep: Box | None
    """The place beside the reader's black card that keeps it; None when the reader is not asked."""
    pool: Pool
    legend: int


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    asked = asked or ask_at_table(view)
    top = HEADER + RIM
    y = top + SIZE * CELL + LOWER_RIM
    pool = None
    if view.phase is Phase.POOL or (view.reader is None and view.pool):
        pool, y = _place_pool(view, y)
    seats, own_y, y = _place_seats(view, names, asked, y + PANEL_GAP // 2)
    if not pool:
        pool, y = _place_pool(view, y)
    is_asked = view.reader is not None and view.turn == view.reader and not asked.is_over
    own_black = _place_own_black(view, own_y)
    closed = find_closed_triangles(view.square, list_walls(view.blacks))
    right = WIDTH - MARGIN - PANEL_GAP
    can_discard = is_asked and view.phase is Phase.HANDS and bool(view.square[CENTRE])
    return Board(
        width=WIDTH,
        height=y + LEGEND,
        phase=view.phase.value,
        is_over=asked.is_over,
        actor="" if asked.is_over else shorten(names[view.turn], 150, NAME_SIZE),
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
        walls="".join(_draw_walls(view, closed, top)),
        blacks=tuple(
            _place_black(seat, black, view.colours[seat], top)
            for seat, black in enumerate(view.blacks)
            if black
        ),
        hand=_place_hand(view.hand, own_y),
        own_black=own_black,
        discard=Box(right - 112, own_y, 112, OWN_CARD) if can_discard else None,
        keep=Box(right - 224, own_y, 224, PLACE_HEIGHT) if own_black and is_asked else None,
        pool=pool,
        legend=y,
    )


def find_gesture(board: Board, begun: str, text: str) -> Gesture | None:
    """Touch the card and then the cell, again to turn it, or the place to discard it; the cell for the black card."""
    match text.split():
        case ["place", card]:
            return Gesture([[own.touch for own in _find_own(board, card)]])
        case ["place", card, cell, *facing]:
            is_down = cell in begun.split()
            at = _box_of_cell(board, cell)
            laid = [Laid(_box(own), at, TURN[side]) for own in _find_own(board, card) for side in facing]
            return Gesture([] if is_down else [[at]], laid)
        case ["discard", card] if board.discard:
            laid = [Laid(_box(own), _box_in(board.discard)) for own in _find_own(board, card)]
            return Gesture([[own.touch for own in _find_own(board, card)], [board.discard]], laid)
        case ["black", cell, edge] if board.own_black:
            at = _find_edge(cell, edge, board.top)
            return Gesture([[_box_of_cell(board, cell)]], [Laid(board.own_black.box, at, TURN[edge])])
        case ["decline"] if board.keep:
            return Gesture([[board.keep]])
        case _:
            return None


def find_marks(board: Board, seat: Seat, text: str) -> Sequence[Box]:
    """Find where the last move of this seat, in notation, is seen on this picture; empty if nowhere."""
    match text.split():
        case ["place", _, cell, *_]:
            return [_box_of_cell(board, cell)]
        case ["discard", code]:
            return [_box(card) for card in board.pool.cards if card.code == code]
        case ["black", cell, edge]:
            at = _find_edge(cell, edge, board.top)
            if edge in "NS":
                return [at]
            off = (at.width - at.height) / 2
            return [Box(at.x + off, at.y - off, at.height, at.width)]
        case ["decline"]:
            return [
                Box(panel.x, panel.y, panel.width, panel.height)
                for panel in board.seats
                if panel.letter == seat_letter(seat)
            ]
        case _:
            return []


def _find_own(board: Board, card: str) -> list[Card]:
    return [own for own in (*board.hand, *board.pool.cards) if own.code == card]


def _box(card: Card) -> Box:
    return Box(card.x, card.y, card.size, card.size)


def _box_in(place: Box) -> Box:
    """The room in a place for a card that lies there; the word stands below it."""
    return Box(place.x + (place.width - DISCARDED) / 2, place.y + 6, DISCARDED, DISCARDED)


def _box_of_cell(board: Board, cell: str) -> Box:
    x, y = _corner(CELL_NUMBER[cell], board.top)
    return Box(x, y, CELL, CELL)


def _find_edge(cell: str, edge: str, top: int) -> Box:
    """The box of a black card against this edge, as it would lie before it is turned there."""
    x, y = _corner(CELL_NUMBER[cell], top)
    middle, out = CELL / 2, (CELL + BLACK_DEPTH) / 2
    right, down = {"N": (0, -out), "E": (out, 0), "S": (0, out), "W": (-out, 0)}[edge]
    return Box(
        x + middle + right - BLACK_LENGTH / 2, y + middle + down - BLACK_DEPTH / 2, BLACK_LENGTH, BLACK_DEPTH
    )


def _place_seats(
    view: View, names: Sequence[str], asked: Asked, y: int
) -> tuple[tuple[SeatPanel, ...], int, int]:
    """The reader first, over the whole width, then the others from the reader's left, two side by side.

    Returns the panels, the height at which the reader's hand begins, and the height below all.
    """
    count = len(view.colours)
    first = view.reader or 0
    order = [(first + place) % count for place in range(count)]
    half = (INNER - PANEL_GAP) // 2
    panels, own_y = [], 0
    if view.reader is not None:
        own_y = y + PANEL
        below = (
            OWN_CARD + CAPTION + 4 if view.hand else PLACE_HEIGHT + GAP if view.phase is Phase.BLACK else 0
        )
        if _has_answered(view, view.reader):
            below = 0
        panels.append(_place_seat(view, names, asked, order.pop(0), MARGIN, y, INNER, PANEL + below))
        y += PANEL + below + PANEL_GAP
    for place, seat in enumerate(order):
        x = MARGIN + place % 2 * (half + PANEL_GAP)
        panels.append(_place_seat(view, names, asked, seat, x, y, half, PANEL))
        if place % 2 or seat == order[-1]:
            y += PANEL + PANEL_GAP
    return tuple(panels), own_y, y


def _place_seat(
    view: View, names: Sequence[str], asked: Asked, seat: Seat, x: int, y: int, width: int, height: int
) -> SeatPanel:
    is_reader, is_turn = seat == view.reader, seat in asked.seats
    beside = 230 if is_reader else 96 if is_turn else 78
    return SeatPanel(
        x=x,
        y=y,
        width=width,
        height=height,
        letter=seat_letter(seat),
        name=shorten(names[seat], width - beside, NAME_SIZE),
        colour=view.colours[seat],
        is_reader=is_reader,
        is_turn=is_turn,
        score=score_seats(view.colours, view.square, view.blacks)[seat],
        cards=view.hand_sizes[seat],
        has_black=not _has_answered(view, seat),
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


def _place_own_black(view: View, y: int) -> BlackCard | None:
    """The reader's black card while it is to be laid or kept."""
    if view.phase is not Phase.BLACK or view.reader is None or _has_answered(view, view.reader):
        return None
    return BlackCard(
        MARGIN + PANEL_GAP + OWN_BLACK * BLACK_LENGTH / 2 + 8,
        y + PLACE_HEIGHT / 2,
        0,
        OWN_BLACK,
        seat_letter(view.reader),
        view.colours[view.reader],
    )


def _place_labels(top: int) -> tuple[Label, ...]:
    labels = []
    bottom = top + SIZE * CELL
    for place in range(SIZE):
        middle = place * CELL + CELL // 2
        labels += [
            Label(BOARD_LEFT + middle, bottom + LABEL + 1, "abcdefg"[place]),
            Label(BOARD_LEFT - LABEL + 1, top + middle + 5, str(SIZE - place)),
            Label(WIDTH - BOARD_LEFT + LABEL - 1, top + middle + 5, str(SIZE - place)),
        ]
    return tuple(labels)


def _place_cells(view: View, top: int) -> tuple[Cell, ...]:
    opened = open_cells(view.square) if view.phase in (Phase.HANDS, Phase.POOL) else ()
    return tuple(
        Cell(*_corner(cell, top), CELLS[cell], cell in opened)
        for cell, look in enumerate(view.square)
        if not look
    )


def _place_laid_card(cell: int, look: str, top: int, closed: Collection[int]) -> Card:
    code = CARD_OF[look]
    sides = [side for side in range(4) if 4 * cell + side in closed]
    return _place_card(code, *_corner(cell, top), CELL, TURN[LOOKS[code][look]], sides)


def _place_hand(cards: Cards, y: int) -> tuple[Card, ...]:
    left, pitch = MARGIN + PANEL_GAP, OWN_CARD + GAP
    return tuple(_place_card(code, left + place * pitch, y, OWN_CARD) for place, code in enumerate(cards))


def _place_pool(view: View, y: int) -> tuple[Pool, int]:
    """The cards in rows that fill the picture's width, and the height below them.

    Without a title while they are played from.
    """
    if not view.pool:
        return Pool(0, ()), y
    title = 0 if view.phase is Phase.POOL else y + 14
    y += 20 if title else 0
    count = len(view.pool)
    pitch = next(
        (pitch for pitch, rows in POOL_PITCHES if count <= INNER // pitch * rows), POOL_PITCHES[-1][0]
    )
    in_row = INNER // pitch
    left = (WIDTH - in_row * pitch) // 2
    size = pitch - POOL_GAP
    placed = []
    for place, code in enumerate(view.pool):
        x, card_y = left + place % in_row * pitch, y + place // in_row * pitch
        touch = Box(x, card_y, pitch, pitch)
        placed.append(_place_card(code, x + POOL_GAP // 2, card_y + POOL_GAP // 2, size, touch=touch))
    return Pool(title, tuple(placed)), y + (count + in_row - 1) // in_row * pitch + GAP


def _place_card(
    code: str,
    x: float,
    y: float,
    size: float,
    turn: int = 0,
    closed: Collection[int] = (),
    touch: Box | None = None,
) -> Card:
    """A card turned by so many degrees; `closed` are the sides, as it lies, whose rooms are closed."""
    gem = GEM_OF[code]
    equal = next((side for side in range(4) if gem == code[side] == code[(side + 1) % 4]), 0)
    return Card(
        x=x,
        y=y,
        size=size,
        code=code,
        turn=turn,
        sides=tuple(
            Side(90 * side, colour, (side + turn // 90) % 4 in closed) for side, colour in enumerate(code)
        ),
        gem=gem,
        gem_turn=90 * equal,
        touch=touch or Box(x, y, size, size),
    )


def _draw_walls(view: View, closed: Collection[int], top: int) -> Iterator[str]:
    """The diagonals and outer edges at which closed rooms end."""
    for triangle in sorted(closed):
        cell, side = divmod(triangle, 4)
        look = view.square[cell]
        x, y = _corner(cell, top)
        corners = ((x, y), (x + CELL, y), (x + CELL, y + CELL), (x, y + CELL))
        start, end = corners[side], corners[(side + 1) % 4]
        middle = f"L{x + CELL // 2} {y + CELL // 2}"
        if look[side - 1] != look[side]:
            yield f"M{start[0]} {start[1]}{middle}"
        if look[(side + 1) % 4] != look[side]:
            yield f"M{end[0]} {end[1]}{middle}"
        if ACROSS[triangle] == OUTSIDE:
            yield f"M{start[0]} {start[1]}L{end[0]} {end[1]}"


def _place_black(seat: Seat, black: Black, colour: str, top: int) -> BlackCard:
    """The black card along the outside of its edge; the small triangle points inwards."""
    at = _find_edge(black.cell, black.edge, top)
    x, y = at.x + at.width / 2, at.y + at.height / 2
    return BlackCard(x, y, TURN[black.edge], 1, seat_letter(seat), colour)
