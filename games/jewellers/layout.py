"""Places Jewellers' pieces on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.contract import Asked, Box, Seat, seat_letter
from games.jewellers.components import (
    ALL_SILVER,
    CARDS,
    COLOUR_NAMES,
    COLOURS,
    COMBINATIONS,
    GAME_PLAN,
    GEM_VALUE,
    GEMS,
    SILVER_POINTS,
    SIZES,
    TOUCHED,
    VALUES,
)
from games.jewellers.scoring import Tally, tally_seats
from games.jewellers.state import Phase, View, ask_at_table, gem_number, leading_total

WIDTH = 480
MARGIN = 12
INNER = WIDTH - 2 * MARGIN
HEADER = 74
GAP = 8
PLAN_LEFT, PLAN_TOP = 34, HEADER + 30
SQUARE_WIDTH, SQUARE_HEIGHT = 56, 48
SIDE_LEFT = PLAN_LEFT + len(COLOURS) * SQUARE_WIDTH + 10
BONUS_TOP = PLAN_TOP + 116
BONUS_HEIGHT = 22
PANEL_TITLE = 36
CARD_WIDTH, CARD_HEIGHT, CARD_GAP = 42, 32, 7
GEM_WIDTH, GEM_HEIGHT = 49, 52
GEMS_IN_ROW = 8
"""Gems and silver in a row of a seat's panel; the rest of the row is for the bonus."""
LONGEST_NAME = 12
JUNCTION = 34
"""The size of the box around a junction."""
SCALES = {"s": 0.56, "m": 0.76, "l": 0.96}


@dataclass(frozen=True, slots=True)
class Jewel:
    """The middle of one gem; `kind` is its colour's letter."""

    x: float
    y: float
    kind: str
    scale: float
    code: str
    value: int


@dataclass(frozen=True, slots=True)
class Square:
    """A square of the game plan; x and y are its upper left corner.

    `status` is `blank`, `bag`, `now`, `sold` or `unsold`; `owner` is the buyer's seat letter.
    """

    x: int
    y: int
    status: str
    owner: str
    jewel: Jewel | None


@dataclass(frozen=True, slots=True)
class Silver:
    """A silver piece; x and y are the middle of its base."""

    x: int
    y: int
    scale: float
    points: int


@dataclass(frozen=True, slots=True)
class Tower:
    """The silver that waits on a junction: its middle, the points of the next piece, how many pieces."""

    x: int
    y: int
    points: int
    pieces: int


@dataclass(frozen=True, slots=True)
class Bonus:
    """One line of the list of bonuses: its gems and its points."""

    y: int
    jewels: tuple[Jewel, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Pip:
    """One of the 15 auctions on the track in the header: `past`, `now` or `later`."""

    x: int
    number: int
    time: str


@dataclass(frozen=True, slots=True)
class Card:
    """A card; x and y are its upper left corner, `place` is `hand`, `table` or `spent`."""

    x: int
    y: int
    value: int
    place: str


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """One seat: its state in the auction, its cards, its gems and silver."""

    y: int
    height: int
    letter: str
    name: str
    is_reader: bool
    is_starter: bool
    is_turn: bool
    """True if the table waits for the seat: for its move, or for its sealed order."""
    has_ordered: bool
    is_leading: bool
    has_passed: bool
    total: int
    """The total of the cards on the table."""
    score: int
    bonus: int
    cards: tuple[Card, ...]
    jewels: tuple[Jewel, ...]
    silver: tuple[Silver, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The whole picture."""

    width: int
    height: int
    inner: int
    middle: int
    side: int
    side_width: int
    phase: str
    number: int
    gems: int
    is_over: bool
    is_sealed: bool
    """True while sealed orders are collected."""
    actor: str
    """The name of the player whose move the table waits for, shortened; empty when it waits for nobody's."""
    missing: str
    """The letters of the seats whose sealed orders are missing."""
    leader: str
    lead: int
    has_silver: bool
    silver_line: int
    silver_points: str
    all_silver: int
    jewel: Jewel | None
    """The gem that is auctioned."""
    jewel_name: str
    """The gem's name in English, a key of the translations: `medium pearl`."""
    brings_silver: bool
    pips: tuple[Pip, ...]
    columns: tuple[tuple[int, str], ...]
    """The middle of each column of the plan, and its colour in English."""
    rows: tuple[tuple[int, int], ...]
    """The middle of each row of the plan, and its value."""
    squares: tuple[Square, ...]
    tower: Tower | None
    bonuses: tuple[Bonus, ...]
    panels: tuple[SeatPanel, ...]


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    asked = asked or ask_at_table(view)
    plan_bottom = PLAN_TOP + len(VALUES) * SQUARE_HEIGHT
    y = plan_bottom + GAP + 4
    panels = []
    for seat, tally in enumerate(tally_seats(view)):
        panel = _place_seat(view, seat, tally, asked, names[seat], y)
        panels.append(panel)
        y += panel.height + GAP
    side_width = WIDTH - MARGIN - SIDE_LEFT
    return Board(
        width=WIDTH,
        height=y + 28,
        inner=INNER,
        middle=WIDTH // 2,
        side=SIDE_LEFT,
        side_width=side_width,
        phase=view.phase.value,
        number=gem_number(view),
        gems=len(GEMS),
        is_over=asked.is_over,
        is_sealed=asked.is_sealed,
        actor=_shorten(names[view.turn]) if asked.seats and not asked.is_sealed else "",
        missing=", ".join(map(seat_letter, sorted(asked.seats))) if asked.is_sealed else "",
        leader="" if view.leader is None else _shorten(names[view.leader]),
        lead=leading_total(view),
        has_silver=view.phase is Phase.PLACE or view.tower is not None or bool(view.silver),
        silver_line=BONUS_TOP + BONUS_HEIGHT * len(COMBINATIONS),
        silver_points=" ".join([f"+{points}" for points in SILVER_POINTS]),
        all_silver=ALL_SILVER,
        jewel=_place_jewel(view.gem, SIDE_LEFT + 32, PLAN_TOP + 30, 1.3) if view.gem else None,
        jewel_name=_name(view.gem) if view.gem else "",
        brings_silver=view.gem is not None and view.tower is not None and view.gem in TOUCHED[view.tower],
        pips=tuple(_place_pips(view)),
        columns=tuple(
            (PLAN_LEFT + SQUARE_WIDTH * place + SQUARE_WIDTH // 2, COLOUR_NAMES[colour])
            for place, colour in enumerate(COLOURS)
        ),
        rows=tuple(
            (PLAN_TOP + SQUARE_HEIGHT * place + SQUARE_HEIGHT // 2, value)
            for place, value in enumerate(VALUES)
        ),
        squares=tuple(_place_squares(view)),
        tower=_place_tower(view),
        bonuses=tuple(_place_bonuses()),
        panels=tuple(panels),
    )


def find_boxes(board: Board, begun: str, text: str) -> tuple[Box, ...]:
    """Find the card added to a bid, the junction for the silver, or the gems of a size that are still in the bag."""
    match text.split():
        case ["bid", *_, card]:
            return tuple(_find_cards(board, card))
        case ["silver", "stay"]:
            return (_box_around(board.tower.x, board.tower.y),) if board.tower else ()
        case ["silver", junction]:
            return (_box_around(*_find_junction(junction)),)
        case ["draw", size]:
            return tuple(
                Box(square.x + 2, square.y + 2, SQUARE_WIDTH - 4, SQUARE_HEIGHT - 4)
                for square in board.squares
                if square.status == "bag" and square.jewel and square.jewel.code[1] == size[0]
            )
        case _:
            return ()


def _find_cards(board: Board, value: str) -> Iterator[Box]:
    for panel in board.panels:
        if panel.is_reader:
            yield from (
                Box(card.x, card.y - 1, CARD_WIDTH, CARD_HEIGHT + 2)
                for card in panel.cards
                if str(card.value) == value
            )


def _box_around(x: int, y: int) -> Box:
    return Box(x - JUNCTION / 2, y - JUNCTION / 2, JUNCTION, JUNCTION)


def _name(gem: str) -> str:
    size = next(size for size in SIZES if size[0] == gem[1])
    return f"{size} {COLOUR_NAMES[gem[0]]}"


def _place_jewel(gem: str, x: float, y: float, scale: float) -> Jewel:
    return Jewel(x, y, gem[0], round(scale * SCALES[gem[1]], 2), gem, GEM_VALUE[gem])


def _place_pips(view: View) -> Iterator[Pip]:
    step = INNER // len(GEMS)
    left = (WIDTH - step * (len(GEMS) - 1)) // 2
    now = len(view.sales)
    for place in range(len(GEMS)):
        time = "past" if place < now else "now" if place == now else "later"
        yield Pip(left + step * place, place + 1, time)


def _place_squares(view: View) -> Iterator[Square]:
    sales = {sale.gem: sale for sale in view.sales}
    for row, (value, sizes) in enumerate(GAME_PLAN.items()):
        for column, (colour, size) in enumerate(zip(COLOURS, sizes, strict=True)):
            x, y = PLAN_LEFT + column * SQUARE_WIDTH, PLAN_TOP + row * SQUARE_HEIGHT
            gem = colour + size
            if gem not in GEM_VALUE or GEM_VALUE[gem] != value:
                yield Square(x, y, "blank", "", None)
                continue
            sale = sales.get(gem)
            buyer = sale.buyer if sale else None
            status = "now" if gem == view.gem else "bag"
            if sale:
                status = "unsold" if buyer is None else "sold"
            jewel = _place_jewel(gem, x + 21, y + 24, 0.87)
            yield Square(x, y, status, "" if buyer is None else seat_letter(buyer), jewel)


def _place_tower(view: View) -> Tower | None:
    if view.tower is None:
        return None
    x, y = _find_junction(view.tower)
    taken = len(view.silver)
    return Tower(
        x=x,
        y=y,
        points=SILVER_POINTS[taken],
        pieces=len(SILVER_POINTS) - taken,
    )


def _find_junction(name: str) -> tuple[int, int]:
    """The middle of the corner at which four squares meet; `name` is that of the upper left one."""
    column, row = COLOURS.index(name[0]), VALUES.index(int(name[1:]))
    return PLAN_LEFT + (column + 1) * SQUARE_WIDTH, PLAN_TOP + (row + 1) * SQUARE_HEIGHT


def _place_bonuses() -> Iterator[Bonus]:
    for place, (gems, points) in enumerate(COMBINATIONS):
        y = BONUS_TOP + BONUS_HEIGHT * place
        jewels = [_place_jewel(gem, SIDE_LEFT + 16 + 30 * number, y, 0.54) for number, gem in enumerate(gems)]
        yield Bonus(y, tuple(jewels), points)


def _place_seat(view: View, seat: Seat, tally: Tally, asked: Asked, name: str, y: int) -> SeatPanel:
    in_auction = view.phase is Phase.BID
    jewels, silver, bottom = _place_belongings(tally, y + PANEL_TITLE + CARD_HEIGHT + GAP)
    return SeatPanel(
        y=y,
        height=bottom - y + 4,
        letter=seat_letter(seat),
        name=_shorten(name),
        is_reader=seat == view.reader,
        is_starter=seat == view.starter and view.phase in (Phase.DRAW, Phase.BID),
        is_turn=seat in asked.seats,
        has_ordered=seat in asked.ordered,
        is_leading=in_auction and seat == view.leader,
        has_passed=in_auction and seat in view.passed,
        total=sum(view.table[seat]),
        score=tally.score(),
        bonus=tally.score() - tally.plain_points(),
        cards=tuple(_place_cards(view, seat, y + PANEL_TITLE)),
        jewels=jewels,
        silver=silver,
    )


def _place_cards(view: View, seat: Seat, y: int) -> Iterator[Card]:
    """Place the cards; each keeps its place in the row, whether it is in hand, on the table or spent."""
    row = len(CARDS) * (CARD_WIDTH + CARD_GAP) - CARD_GAP
    left = (WIDTH - row) // 2
    for number, card in enumerate(CARDS):
        place = "hand" if card in view.hands[seat] else "spent"
        if card in view.table[seat]:
            place = "table"
        yield Card(left + number * (CARD_WIDTH + CARD_GAP), y, card, place)


def _place_belongings(tally: Tally, top: int) -> tuple[tuple[Jewel, ...], tuple[Silver, ...], int]:
    """Place gems in the order of the plan, then silver, in rows; return them with the height below."""
    jewels, silver = [], []
    left = MARGIN + GAP + GEM_WIDTH // 2
    owned = sorted(tally.gems, key=lambda gem: (COLOURS.index(gem[0]), GEMS.index(gem)))
    rows = -(-(len(owned) + len(tally.silver)) // GEMS_IN_ROW)
    for number in range(len(owned) + len(tally.silver)):
        row, column = divmod(number, GEMS_IN_ROW)
        x, y = left + column * GEM_WIDTH, top + row * GEM_HEIGHT
        if number < len(owned):
            jewels.append(_place_jewel(owned[number], x, y + 19, 0.9))
        else:
            piece = tally.silver[number - len(owned)]
            silver.append(Silver(x, y + 34, 0.7 + 0.15 * piece, SILVER_POINTS[piece]))
    return tuple(jewels), tuple(silver), top + rows * GEM_HEIGHT


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
