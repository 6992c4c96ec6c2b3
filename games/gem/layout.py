"""Places GEM's pieces on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.board_text import shorten
from games.contract import Asked, Seat, seat_letter
from games.gem.components import COST, DAYS, JEWELS, VALUE
from games.gem.payment import worth
from games.gem.scoring import score_active
from games.gem.state import Phase, Pieces, View, ask_at_table, leading_bid
from games.picture import Box, Gesture, Laid

WIDTH = 480
MARGIN = 12
INNER = WIDTH - 2 * MARGIN
HEADER = 90
GAP = 8
OPEN_CARD_WIDTH, OPEN_CARD_HEIGHT = 100, 118
STAGE = OPEN_CARD_HEIGHT + 14
"""The dark ground of the open cards, below the header."""
CARD_WIDTH, CARD_HEIGHT = 56, 66
COIN_WIDTH = 50
FINGER = 54
"""The least width and height of what is touched: 40 pixels on a phone of 360."""
PLACES_TITLE = 20
PLACE_WIDTH, PLACE_HEIGHT, PLACE_GAP = FINGER, FINGER, 2
PLACES_IN_ROW = 8
PANEL_TITLE = 54
CALL = Box(300, 12, 92, 30)
"""Where a panel says the bid of its seat, from the panel's upper left corner."""
NAME_WIDTH, NAME_SIZE = CALL.x - 60 - GAP, 16
ACTOR_WIDTH, ACTOR_SIZE = 118, 12
LEGEND = 26


@dataclass(frozen=True, slots=True)
class Jewel:
    """The middle of one jewel; `kind` is its letter."""

    x: float
    y: float
    kind: str
    scale: float


@dataclass(frozen=True, slots=True)
class Card:
    """A jewel card; x and y are its upper left corner."""

    x: int
    y: int
    width: int
    height: int
    code: str
    value: int
    cost: int
    active: bool
    jewels: tuple[Jewel, ...]
    """From the card's upper left corner."""


@dataclass(frozen=True, slots=True)
class Coin:
    """A coin; x and y are its middle."""

    x: int
    y: int
    value: int
    active: bool
    name: str
    """The piece's name, by which it is known again: `coin-` with seat and value."""


@dataclass(frozen=True, slots=True)
class Place:
    """A move that the reader makes by touching it, in notation: a bid, to pass, to keep."""

    x: int
    y: int
    width: int
    move: str
    amount: int
    """The number bid; 0 for other moves."""


@dataclass(frozen=True, slots=True)
class Day:
    """One station of the days track: `past`, `now` or `later`, with the cards not yet sold."""

    x: int
    number: int
    time: str
    cards: int


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """One seat: its state in the auction and its pieces."""

    y: int
    height: int
    letter: str
    name: str
    is_reader: bool
    is_oya: bool
    is_turn: bool
    """True if the table waits for the seat: for its move, or for its sealed order."""
    has_ordered: bool
    score: int
    call: str
    """`bid`, `pass`, or empty when the seat has not spoken."""
    bid: int
    is_leading: bool
    coins: tuple[Coin, ...]
    cards: tuple[Card, ...]
    slot: Box | None
    """Where a card will lie that the reader takes; None unless the reader is to take one."""


@dataclass(frozen=True, slots=True)
class Board:
    """The whole picture."""

    width: int
    height: int
    ground: int
    """The height of the dark ground: the header, and the open cards while there are any."""
    middle: int
    inner: int
    place_height: int
    card_width: int
    card_height: int
    call: Box
    phase: str
    day: int
    auction: int
    is_over: bool
    is_sealed: bool
    """True while sealed orders are collected."""
    actor: str
    """The name of the player whose move the table waits for, shortened; empty when it waits for nobody's."""
    missing: str
    """The letters of the seats whose sealed orders are missing."""
    days: tuple[Day, ...]
    open: tuple[Card, ...]
    places: tuple[Place, ...]
    """The moves that the reader makes by touching a place that is no piece: to bid, to pass, to keep."""
    panels: tuple[SeatPanel, ...]
    """The reader's own first, then clockwise; by their letters for a spectator."""


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    asked = asked or ask_at_table(view)
    ground = HEADER + (STAGE if view.open else 0)
    places, y = _place_choices(view, asked, ground + GAP)
    scores = score_active(view.active)
    panels = []
    for place in range(len(view.active)):
        seat = (place + (view.reader or 0)) % len(view.active)
        panel = _place_seat(view, seat, asked, names[seat], scores[seat], y)
        panels.append(panel)
        y += panel.height + GAP
    return Board(
        width=WIDTH,
        height=y + LEGEND,
        ground=ground,
        middle=WIDTH // 2,
        inner=INNER,
        place_height=PLACE_HEIGHT,
        card_width=CARD_WIDTH,
        card_height=CARD_HEIGHT,
        call=CALL,
        phase=view.phase.value,
        day=view.day,
        auction=view.auction,
        is_over=asked.is_over,
        is_sealed=asked.is_sealed,
        actor=shorten(names[view.turn], ACTOR_WIDTH, ACTOR_SIZE)
        if asked.seats and not asked.is_sealed
        else "",
        missing=" ".join(map(seat_letter, sorted(asked.seats))) if asked.is_sealed else "",
        days=_place_days(view),
        open=_place_open(view.open, HEADER),
        places=places,
        panels=tuple(panels),
    )


def find_gesture(board: Board, begun: str, text: str) -> Gesture | None:
    """Touch the bid, the card that is taken or activated, each piece that is added to a payment."""
    match text.split()[len(begun.split()) :]:
        case ["bid", _] | ["pass"] | ["keep"]:
            return Gesture([[_box_of_place(place) for place in board.places if place.move == text]])
        case ["take", code]:
            taken = [_box(card) for card in board.open if card.code == code]
            slots = [panel.slot for panel in board.panels if panel.slot]
            return Gesture([taken], [Laid(card, slot) for card in taken for slot in slots])
        case ["invest" | "pay", *pieces] | pieces if board.phase != "bid" and pieces:
            return Gesture([list(_find_own(board, piece)) for piece in pieces])
        case _:
            return None


def find_marks(board: Board, seat: Seat, text: str) -> Sequence[Box]:
    """The call in the seat's panel, the card that was taken, the cards that were activated."""
    panel = next(panel for panel in board.panels if panel.letter == seat_letter(seat))
    match text.split():
        case ["pass"] if panel.call == "pass":
            return [_box_of_call(panel)]
        case ["bid", amount] if (panel.call, str(panel.bid)) == ("bid", amount):
            return [_box_of_call(panel)]
        case ["take" | "invest", *pieces]:
            codes = pieces[: pieces.index("pay")] if "pay" in pieces else pieces
            return [_box(card) for card in panel.cards if card.code in codes]
        case _:
            return ()


def _box_of_call(panel: SeatPanel) -> Box:
    return Box(CALL.x, panel.y + CALL.y, CALL.width, CALL.height)


def _box_of_place(place: Place) -> Box:
    return Box(place.x, place.y, place.width, PLACE_HEIGHT)


def _find_own(board: Board, piece: str) -> Iterator[Box]:
    for panel in board.panels:
        if panel.is_reader:
            yield from (_box(card) for card in panel.cards if card.code == piece)
            yield from (
                Box(coin.x - FINGER // 2, coin.y - CARD_HEIGHT // 2, FINGER, CARD_HEIGHT)
                for coin in panel.coins
                if str(coin.value) == piece
            )


def _box(card: Card) -> Box:
    return Box(card.x, card.y, card.width, card.height)


def _place_days(view: View) -> tuple[Day, ...]:
    step = INNER // DAYS
    days = []
    for number in range(1, DAYS + 1):
        x = MARGIN + step // 2 + step * (number - 1)
        if view.phase is Phase.OVER or number < view.day:
            days.append(Day(x, number, "past", 0))
        elif number == view.day:
            days.append(Day(x, number, "now", len(view.open)))
        else:
            days.append(Day(x, number, "later", view.pile_sizes[number - view.day - 1]))
    return tuple(days)


def _place_choices(view: View, asked: Asked, y: int) -> tuple[tuple[Place, ...], int]:
    """Place what the reader can do beside touching pieces, in rows below a title; return it with the height below."""
    if view.reader is None or view.reader not in asked.seats | asked.ordered:
        return (), y
    if view.phase is Phase.INVEST:
        wide = 4 * (PLACE_WIDTH + PLACE_GAP) - PLACE_GAP
        return (Place((WIDTH - wide) // 2, y, wide, "keep", 0),), y + PLACE_HEIGHT + GAP
    if view.phase is not Phase.BID:
        return (), y
    opens = not view.calls and view.reader == view.oya
    lowest = 0 if opens else max(leading_bid(view.calls), 0) + 1
    amounts = range(lowest, worth(view.active[view.reader]) + 1)
    places = []
    top, left = y + PLACES_TITLE, MARGIN + 5
    for number, amount in enumerate(amounts, start=0 if opens else 2):
        row, column = divmod(number, PLACES_IN_ROW)
        places.append(
            Place(
                left + column * (PLACE_WIDTH + PLACE_GAP),
                top + row * (PLACE_HEIGHT + PLACE_GAP),
                PLACE_WIDTH,
                f"bid {amount}",
                amount,
            )
        )
    if not opens:
        places.append(Place(left, top, 2 * PLACE_WIDTH, "pass", 0))
    bottom = max(place.y for place in places) + PLACE_HEIGHT
    return tuple(places), bottom + GAP


def _place_open(cards: Pieces, y: int) -> tuple[Card, ...]:
    row = len(cards) * (OPEN_CARD_WIDTH + GAP) - GAP
    left = (WIDTH - row) // 2
    return tuple(
        _place_card(
            card, left + place * (OPEN_CARD_WIDTH + GAP), y, OPEN_CARD_WIDTH, OPEN_CARD_HEIGHT, active=True
        )
        for place, card in enumerate(cards)
    )


def _place_card(code: str, x: int, y: int, width: int, height: int, *, active: bool) -> Card:
    jewels = JEWELS[code]
    size = width / OPEN_CARD_WIDTH
    scale, offsets = (1.6, (0,)) if len(jewels) == 1 else (1.2, (-23, 23))
    return Card(
        x=x,
        y=y,
        width=width,
        height=height,
        code=code,
        value=VALUE[code],
        cost=COST[code],
        active=active,
        jewels=tuple(
            Jewel(round(width / 2 + offset * size, 1), round(height * 0.43, 1), kind, round(scale * size, 2))
            for kind, offset in zip(jewels, offsets, strict=True)
        ),
    )


def _place_seat(view: View, seat: Seat, asked: Asked, name: str, score: int, y: int) -> SeatPanel:
    takes = view.phase is Phase.TAKE and seat == view.reader and seat in asked.seats
    coins, cards, slot, bottom = _place_pieces(
        view.active[seat], view.inactive[seat], seat_letter(seat), y + PANEL_TITLE
    )
    if takes:
        bottom = max(bottom, int(slot.y) + CARD_HEIGHT + GAP)
    call, bid, is_leading = _find_call(view, seat)
    return SeatPanel(
        y=y,
        height=bottom - y,
        letter=seat_letter(seat),
        name=shorten(name, NAME_WIDTH, NAME_SIZE),
        is_reader=seat == view.reader,
        is_oya=seat == view.oya and view.phase in (Phase.BID, Phase.TAKE),
        is_turn=seat in asked.seats,
        has_ordered=seat in asked.ordered,
        score=score,
        call=call,
        bid=bid,
        is_leading=is_leading,
        coins=coins,
        cards=cards,
        slot=slot if takes else None,
    )


def _place_pieces(
    active: Pieces, inactive: Pieces, letter: str, top: int
) -> tuple[tuple[Coin, ...], tuple[Card, ...], Box, int]:
    """Place the pieces in rows as wide as the panel, the inactive ones a little apart.

    Returns them, the place for one more, and the height below.
    """
    coins: list[Coin] = []
    cards: list[Card] = []
    left = MARGIN + GAP
    x, y = left, top
    for place, piece in enumerate((*active, *inactive, "")):
        width = CARD_WIDTH if piece in JEWELS or not piece else COIN_WIDTH
        if place == len(active) and place > 0:
            x += GAP
        if x + width > WIDTH - MARGIN - GAP:
            x, y = left, y + CARD_HEIGHT + GAP
        if piece in JEWELS:
            cards.append(_place_card(piece, x, y, CARD_WIDTH, CARD_HEIGHT, active=place < len(active)))
        elif piece:
            middle = x + COIN_WIDTH // 2, y + CARD_HEIGHT // 2
            coins.append(Coin(*middle, VALUE[piece], place < len(active), f"coin-{letter}{piece}"))
        x += width + GAP
    slot = Box(x - CARD_WIDTH - GAP, y, CARD_WIDTH, CARD_HEIGHT)
    bottoms = [card.y + CARD_HEIGHT for card in cards] + [coin.y + CARD_HEIGHT // 2 for coin in coins]
    return tuple(coins), tuple(cards), slot, max(bottoms) + GAP


def _find_call(view: View, seat: Seat) -> tuple[str, int, bool]:
    """Find the seat's call in this auction: (`bid` or `pass` or empty, amount, whether it leads)."""
    place = (seat - view.oya) % len(view.active)
    if view.phase not in (Phase.BID, Phase.TAKE) or place >= len(view.calls):
        return "", 0, False
    amount = view.calls[place]
    if amount is None:
        return "pass", 0, False
    return "bid", amount, all(call is None for call in view.calls[place + 1 :])
