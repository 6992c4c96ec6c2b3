"""Places Jewellers' pieces on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.board_text import shorten
from games.contract import Asked, Seat, seat_letter
from games.jewellers.components import (
    ALL_SILVER,
    CARDS,
    COLOUR_NAMES,
    COLOURS,
    COMBINATIONS,
    GAME_PLAN,
    GEM_VALUE,
    GEMS,
    JUNCTIONS,
    SILVER_POINTS,
    SIZES,
    TOUCHED,
    VALUES,
)
from games.jewellers.scoring import Tally, tally_seats
from games.jewellers.state import Phase, View, ask_at_table, gem_number, leading_total, must_open
from games.picture import Box, Gesture, Laid

WIDTH = 480
MARGIN = 12
INNER = WIDTH - 2 * MARGIN
HEADER = 78
GAP = 8
PLAN_LEFT, PLAN_TOP = 38, HEADER + 28
SQUARE_WIDTH, SQUARE_HEIGHT = 58, 54
SIDE_LEFT = PLAN_LEFT + len(COLOURS) * SQUARE_WIDTH + 8
SIDE_WIDTH = WIDTH - MARGIN - SIDE_LEFT
AUCTION_HEIGHT = 118
BONUS_TOP, BONUS_HEIGHT = PLAN_TOP + AUCTION_HEIGHT + 18, 22
PANEL_TITLE = 54
CALL = Box(286, 12, 108, 30)
"""Where a panel says the offer of its seat, from the panel's upper left corner."""
NAME_WIDTH, NAME_SIZE = CALL.x - 60 - GAP, 16
ACTOR_WIDTH, LEADER_WIDTH, SMALL_SIZE = 150, 88, 12
CARD_STEP, CARD_HEIGHT = 50, 64
"""Cards of the reader; each keeps its place in the row, whether it is in hand, on the table or spent."""
OTHER_STEP, OTHER_HEIGHT = 27, 38
"""Cards of another seat."""
PASS = 110
"""The width of the place beside the table, on which one passes."""
TABLE_STEP, TABLE_HEIGHT = 35, 45
"""Cards that lie on the table, and the room for more."""
GEM_WIDTH, GEM_HEIGHT = 37, 44
FINGER = 50
SMALL = 0.68
"""The scale of gems in a panel."""
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
    name: str


@dataclass(frozen=True, slots=True)
class Tower:
    """The silver that waits on a junction or beside the plan: its middle, the points of the next piece, how many."""

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
    width: int
    height: int
    value: int
    place: str
    name: str
    """The card's name, by which it is known again: `A10`; empty where another card is drawn for it."""


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
    table: tuple[Box, ...]
    """The free places for cards that the reader puts on the table; empty for others and between auctions."""
    pass_at: Box | None
    """The place on which the reader passes; None unless the reader is to bid and may."""


@dataclass(frozen=True, slots=True)
class Board:
    """The whole picture."""

    width: int
    height: int
    inner: int
    middle: int
    plan: Box
    side: Box
    """Where the gem lies that is auctioned."""
    call: Box
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
    all_silver: int
    junctions: tuple[tuple[int, int], ...]
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
    """The reader's own first, then clockwise; by their letters for a spectator."""


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    asked = asked or ask_at_table(view)
    plan = Box(PLAN_LEFT, PLAN_TOP, len(COLOURS) * SQUARE_WIDTH, len(VALUES) * SQUARE_HEIGHT)
    panels, y = _place_panels(view, names, asked, PLAN_TOP + len(VALUES) * SQUARE_HEIGHT + GAP + 4)
    return Board(
        width=WIDTH,
        height=y + 26,
        inner=INNER,
        middle=WIDTH // 2,
        plan=plan,
        side=Box(SIDE_LEFT, PLAN_TOP, SIDE_WIDTH, AUCTION_HEIGHT),
        call=CALL,
        phase=view.phase.value,
        number=gem_number(view),
        gems=len(GEMS),
        is_over=asked.is_over,
        is_sealed=asked.is_sealed,
        actor=shorten(names[view.turn], ACTOR_WIDTH, SMALL_SIZE)
        if asked.seats and not asked.is_sealed
        else "",
        missing=" ".join(map(seat_letter, sorted(asked.seats))) if asked.is_sealed else "",
        leader="" if view.leader is None else shorten(names[view.leader], LEADER_WIDTH, SMALL_SIZE),
        lead=leading_total(view),
        has_silver=view.phase is Phase.PLACE or view.tower is not None or bool(view.silver),
        silver_line=BONUS_TOP + BONUS_HEIGHT * len(COMBINATIONS),
        junctions=tuple(map(_find_junction, JUNCTIONS)),
        all_silver=ALL_SILVER,
        jewel=_place_jewel(view.gem, SIDE_LEFT + 36, PLAN_TOP + 41, 1.6) if view.gem else None,
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
        panels=panels,
    )


def find_gesture(board: Board, begun: str, text: str) -> Gesture | None:
    """Touch each card that is added to a bid, the junction for the silver, a gem of the size in the bag."""
    match text.split():
        case ["bid", *cards]:
            first = max(0, len(begun.split()) - 1)
            touches = [list(_find_cards(board, card)) for card in cards[first:]]
            table = [place for panel in board.panels for place in panel.table]
            laid = zip(touches, table[first:], strict=False)
            return Gesture(touches, [Laid(card, place) for boxes, place in laid for card in boxes])
        case ["pass"]:
            return Gesture([[panel.pass_at for panel in board.panels if panel.pass_at]])
        case ["silver", "stay"]:
            return Gesture([[_box_around(board.tower.x, board.tower.y)]]) if board.tower else None
        case ["silver", junction]:
            at = _box_around(*_find_junction(junction))
            return Gesture(
                [[at]], [Laid(_box_around(board.tower.x, board.tower.y), at)] if board.tower else []
            )
        case ["draw", size]:
            return Gesture([list(_find_in_bag(board, size))])
        case _:
            return None


def find_marks(board: Board, seat: Seat, text: str) -> Sequence[Box]:
    """The offer or the pass in the seat's panel, the gem that was drawn, the silver that was placed."""
    panel = next(panel for panel in board.panels if panel.letter == seat_letter(seat))
    match text.split():
        case ["bid", *_] if panel.total and not panel.has_passed:
            return [_box_of_call(panel)]
        case ["pass"] if panel.has_passed:
            return [_box_of_call(panel)]
        case ["draw", _] if board.jewel:
            return [board.side]
        case ["silver", where] if board.tower:
            at = _box_around(board.tower.x, board.tower.y)
            return [at] if where == "stay" or at == _box_around(*_find_junction(where)) else ()
        case _:
            return ()


def _box_of_call(panel: SeatPanel) -> Box:
    return Box(CALL.x, panel.y + CALL.y, CALL.width, CALL.height)


def _find_in_bag(board: Board, size: str) -> Iterator[Box]:
    for square in board.squares:
        if square.status == "bag" and square.jewel and square.jewel.code[1] == size[0]:
            yield Box(square.x + 2, square.y + 2, SQUARE_WIDTH - 4, SQUARE_HEIGHT - 4)


def _find_cards(board: Board, value: str) -> Iterator[Box]:
    for panel in board.panels:
        if panel.is_reader:
            yield from (
                Box(card.x, card.y, card.width, card.height)
                for card in panel.cards
                if card.place == "hand" and str(card.value) == value
            )


def _box_around(x: int, y: int) -> Box:
    return Box(x - FINGER // 2, y - FINGER // 2, FINGER, FINGER)


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
            jewel = _place_jewel(gem, x + 24, y + 26, 0.95)
            yield Square(x, y, status, "" if buyer is None else seat_letter(buyer), jewel)


def _place_tower(view: View) -> Tower | None:
    """The silver on its junction; before it was ever placed, where gems are auctioned."""
    taken = len(view.silver)
    if view.phase is Phase.PLACE and view.tower is None:
        x, y = SIDE_LEFT + SIDE_WIDTH // 2, PLAN_TOP + AUCTION_HEIGHT // 2
    elif view.tower is not None and taken < len(SILVER_POINTS):
        x, y = _find_junction(view.tower)
    else:
        return None
    return Tower(x=x, y=y, points=SILVER_POINTS[taken], pieces=len(SILVER_POINTS) - taken)


def _find_junction(name: str) -> tuple[int, int]:
    """The middle of the corner at which four squares meet; `name` is that of the upper left one."""
    column, row = COLOURS.index(name[0]), VALUES.index(int(name[1:]))
    return PLAN_LEFT + (column + 1) * SQUARE_WIDTH, PLAN_TOP + (row + 1) * SQUARE_HEIGHT


def _place_bonuses() -> Iterator[Bonus]:
    for place, (gems, points) in enumerate(COMBINATIONS):
        y = BONUS_TOP + BONUS_HEIGHT * place
        jewels = [_place_jewel(gem, SIDE_LEFT + 14 + 28 * number, y, 0.54) for number, gem in enumerate(gems)]
        yield Bonus(y, tuple(jewels), points)


def _place_panels(
    view: View, names: Sequence[str], asked: Asked, y: int
) -> tuple[tuple[SeatPanel, ...], int]:
    """The panels of the seats from `y` on, the reader's own first, and the next free `y`."""
    tallies = tally_seats(view)
    panels = []
    for place in range(len(tallies)):
        seat = (place + (view.reader or 0)) % len(tallies)
        panel = _place_seat(view, seat, tallies[seat], asked, names[seat], y)
        panels.append(panel)
        y += panel.height + GAP
    return tuple(panels), y


def _place_seat(view: View, seat: Seat, tally: Tally, asked: Asked, name: str, y: int) -> SeatPanel:
    in_auction = view.phase is Phase.BID
    is_reader = seat == view.reader
    top = y + PANEL_TITLE
    cards = [*_place_cards(view, seat, top)]
    table: tuple[Box, ...] = ()
    bottom = top
    if is_reader:
        bottom = top + CARD_HEIGHT + GAP
        if in_auction:
            lying, table = _place_table(view, seat, bottom)
            cards += lying
            bottom += FINGER + GAP
    is_asked = is_reader and in_auction and seat in asked.seats | asked.ordered and not must_open(view, seat)
    jewels, silver, bottom = _place_belongings(tally, bottom, beside_cards=not is_reader)
    return SeatPanel(
        y=y,
        height=bottom - y,
        letter=seat_letter(seat),
        name=shorten(name, NAME_WIDTH, NAME_SIZE),
        is_reader=is_reader,
        is_starter=seat == view.starter and view.phase in (Phase.DRAW, Phase.BID),
        is_turn=seat in asked.seats,
        has_ordered=seat in asked.ordered,
        is_leading=in_auction and seat == view.leader,
        has_passed=in_auction and seat in view.passed,
        total=sum(view.table[seat]),
        score=tally.score(),
        bonus=tally.score() - tally.plain_points(),
        cards=tuple(cards),
        jewels=jewels,
        silver=silver,
        table=table,
        pass_at=Box(MARGIN + GAP, top + CARD_HEIGHT + GAP, PASS, FINGER) if is_asked else None,
    )


def _place_cards(view: View, seat: Seat, y: int) -> Iterator[Card]:
    """Place the cards in a row; a gap is left where the reader's were, on the table or spent."""
    is_reader = seat == view.reader
    step, height = (CARD_STEP, CARD_HEIGHT) if is_reader else (OTHER_STEP, OTHER_HEIGHT)
    left = (WIDTH - len(CARDS) * step) // 2 if is_reader else MARGIN + GAP
    for number, card in enumerate(CARDS):
        place = "hand" if card in view.hands[seat] else "spent"
        if card in view.table[seat]:
            place = "spent" if is_reader else "table"
        name = "" if place == "spent" else _name_card(seat, card)
        if name or is_reader:
            yield Card(left + number * step, y, step, height, card, place, name)


def _place_table(view: View, seat: Seat, y: int) -> tuple[list[Card], tuple[Box, ...]]:
    """Place the reader's cards on the table beside the place to pass; return them with the free places."""
    left = MARGIN + GAP + PASS + GAP
    boxes = [
        Box(left + number * TABLE_STEP, y + 2, TABLE_STEP - 2, TABLE_HEIGHT) for number in range(len(CARDS))
    ]
    lying = [
        Card(int(box.x), int(box.y), int(box.width), int(box.height), card, "table", _name_card(seat, card))
        for box, card in zip(boxes, view.table[seat], strict=False)
    ]
    return lying, tuple(boxes[len(lying) :])


def _name_card(seat: Seat, card: int) -> str:
    return f"{seat_letter(seat)}{card}"


def _place_belongings(
    tally: Tally, top: int, *, beside_cards: bool
) -> tuple[tuple[Jewel, ...], tuple[Silver, ...], int]:
    """Place gems in the order of the plan, then silver, in rows; return them with the height below.

    The first row of another seat stands beside its cards.
    """
    jewels, silver = [], []
    left, right = MARGIN + GAP, WIDTH - MARGIN - GAP
    beside = left + len(CARDS) * OTHER_STEP + GAP
    x, y = beside if beside_cards else left, top
    owned = sorted(tally.gems, key=lambda gem: (COLOURS.index(gem[0]), GEMS.index(gem)))
    for number in range(len(owned) + len(tally.silver)):
        if x + GEM_WIDTH > right:
            x, y = left, y + GEM_HEIGHT
        middle = x + GEM_WIDTH // 2
        if number < len(owned):
            jewels.append(_place_jewel(owned[number], middle, y + 14, SMALL))
        else:
            piece = tally.silver[number - len(owned)]
            name = f"silver{piece}"
            silver.append(Silver(middle, y + 26, 0.55 + 0.12 * piece, SILVER_POINTS[piece], name))
        x += GEM_WIDTH
    is_empty = not owned and not tally.silver and not beside_cards
    return tuple(jewels), tuple(silver), y + (0 if is_empty else GEM_HEIGHT + 6)
