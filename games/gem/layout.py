"""Places GEM's pieces on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.contract import Asked, Box, Seat, seat_letter
from games.gem.components import COST, DAYS, JEWELS, VALUE
from games.gem.payment import worth
from games.gem.scoring import score_active
from games.gem.state import Phase, Pieces, View, ask_at_table, leading_bid

WIDTH = 480
MARGIN = 12
INNER = WIDTH - 2 * MARGIN
HEADER = 84
OPEN_CARD_WIDTH, OPEN_CARD_HEIGHT = 102, 118
CARD_WIDTH, CARD_HEIGHT = 66, 54
COIN_WIDTH = 42
BIDS_LEFT, BID_STEP, BID_WIDTH = 84, 38, 34
GAP = 8
PANEL_TITLE = 34
LEGEND = 22
LONGEST_NAME = 17


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


@dataclass(frozen=True, slots=True)
class Coin:
    """A coin; x and y are its middle."""

    x: int
    y: int
    value: int
    active: bool


@dataclass(frozen=True, slots=True)
class PossibleBid:
    """A bid that the reader can make now; x and y are the middle of its disc."""

    x: int
    y: int
    amount: int


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


@dataclass(frozen=True, slots=True)
class Board:
    """The whole picture."""

    width: int
    height: int
    middle: int
    inner: int
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
    bids: tuple[PossibleBid, ...]
    """The bids that the reader can make, when it is the reader's turn to bid."""
    panels: tuple[SeatPanel, ...]


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    asked = asked or ask_at_table(view)
    below_header = HEADER
    opened = _place_open(view.open, below_header)
    y = below_header + (OPEN_CARD_HEIGHT + 2 * GAP if opened else 0)
    bids, y = _place_bids(view, asked, y)
    scores = score_active(view.active)
    panels = []
    for seat in range(len(view.active)):
        panel = _place_seat(view, seat, asked, names[seat], scores[seat], y)
        panels.append(panel)
        y += panel.height + GAP
    return Board(
        width=WIDTH,
        height=y + LEGEND,
        middle=WIDTH // 2,
        inner=INNER,
        phase=view.phase.value,
        day=view.day,
        auction=view.auction,
        is_over=asked.is_over,
        is_sealed=asked.is_sealed,
        actor=_shorten(names[view.turn]) if asked.seats and not asked.is_sealed else "",
        missing=", ".join(map(seat_letter, sorted(asked.seats))) if asked.is_sealed else "",
        days=_place_days(view),
        open=opened,
        bids=bids,
        panels=tuple(panels),
    )


def find_boxes(board: Board, begun: str, text: str) -> tuple[Box, ...]:
    """Find the bid, the card that is taken or activated, or the one piece that is added to a payment."""
    match text.split()[len(begun.split()) :]:
        case ["bid", amount]:
            return tuple(
                Box(bid.x - BID_WIDTH / 2, bid.y - BID_WIDTH / 2, BID_WIDTH, BID_WIDTH)
                for bid in board.bids
                if str(bid.amount) == amount
            )
        case ["take", code]:
            return tuple(_box(card) for card in board.open if card.code == code)
        case ["invest", code] | ["pay", code] | [code] if board.phase != "bid":
            return tuple(_find_own(board, code))
        case _:
            return ()


def _find_own(board: Board, piece: str) -> Iterator[Box]:
    for panel in board.panels:
        if panel.is_reader:
            yield from (_box(card) for card in panel.cards if card.code == piece)
            yield from (
                Box(coin.x - COIN_WIDTH / 2, coin.y - COIN_WIDTH / 2, COIN_WIDTH, COIN_WIDTH)
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


def _place_bids(view: View, asked: Asked, y: int) -> tuple[tuple[PossibleBid, ...], int]:
    """Place the bids in rows behind their title; return them with the height below them."""
    if view.phase is not Phase.BID or view.reader is None or view.reader not in asked.seats | asked.ordered:
        return (), y
    amounts = range(leading_bid(view.calls) + 1, worth(view.active[view.reader]) + 1)
    in_row = (WIDTH - MARGIN - BIDS_LEFT) // BID_STEP
    bids = tuple(
        PossibleBid(
            BIDS_LEFT + BID_STEP // 2 + place % in_row * BID_STEP,
            y + BID_STEP // 2 + place // in_row * BID_STEP,
            amount,
        )
        for place, amount in enumerate(amounts)
    )
    return bids, y + -(-len(bids) // in_row) * BID_STEP + (GAP if bids else 0)


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
    scale = 1.0 if height == OPEN_CARD_HEIGHT else 0.56
    middle_y = y + height * 0.46 if height == OPEN_CARD_HEIGHT else y + height * 0.36
    spread = width / (len(jewels) + 1) if len(jewels) == 1 else width * 0.26
    offsets = (0.0,) if len(jewels) == 1 else (-spread * 0.92, spread * 0.92)
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
            Jewel(round(x + width / 2 + offset, 1), round(middle_y, 1), kind, scale)
            for kind, offset in zip(jewels, offsets, strict=True)
        ),
    )


def _place_seat(view: View, seat: Seat, asked: Asked, name: str, score: int, y: int) -> SeatPanel:
    coins, cards, bottom = _place_pieces(view.active[seat], view.inactive[seat], y + PANEL_TITLE)
    call, bid, is_leading = _find_call(view, seat)
    return SeatPanel(
        y=y,
        height=bottom - y,
        letter=seat_letter(seat),
        name=_shorten(name),
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
    )


def _place_pieces(
    active: Pieces, inactive: Pieces, top: int
) -> tuple[tuple[Coin, ...], tuple[Card, ...], int]:
    """Place the pieces in rows as wide as the panel, the inactive ones a little apart; with the height below."""
    coins: list[Coin] = []
    cards: list[Card] = []
    left = x = MARGIN + GAP
    y = top
    for place, piece in enumerate(active + inactive):
        width = CARD_WIDTH if piece in JEWELS else COIN_WIDTH
        if place == len(active) and place > 0:
            x += 2 * GAP
        if x + width > WIDTH - MARGIN - GAP:
            x, y = left, y + CARD_HEIGHT + GAP
        if piece in JEWELS:
            cards.append(_place_card(piece, x, y, CARD_WIDTH, CARD_HEIGHT, active=place < len(active)))
        else:
            coins.append(Coin(x + COIN_WIDTH // 2, y + CARD_HEIGHT // 2, VALUE[piece], place < len(active)))
        x += width + GAP
    return tuple(coins), tuple(cards), y + CARD_HEIGHT + GAP


def _find_call(view: View, seat: Seat) -> tuple[str, int, bool]:
    """Find the seat's call in this auction: (`bid` or `pass` or empty, amount, whether it leads)."""
    place = (seat - view.oya) % len(view.active)
    if view.phase not in (Phase.BID, Phase.TAKE) or place >= len(view.calls):
        return "", 0, False
    amount = view.calls[place]
    if amount is None:
        return "pass", 0, False
    return "bid", amount, all(call is None for call in view.calls[place + 1 :])


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
