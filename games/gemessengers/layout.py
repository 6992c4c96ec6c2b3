"""Places Gemessengers' pieces on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from games.contract import Asked, Box, Seat, seat_letter
from games.gemessengers.components import (
    NUMBER,
    PIECES,
    PROCLAMATION,
    PROCLAMATIONS_PER_ROW,
    ROW_NAMES,
    SUIT_NAMES,
    VALUES,
    Row,
)
from games.gemessengers.picking import list_open_rows
from games.gemessengers.scoring import total_scores, value_gem
from games.gemessengers.state import (
    ROW_SPOTS,
    Cards,
    Play,
    Proclaim,
    Spot,
    View,
    is_finished,
    is_over,
    piece_of,
)
from games.gemessengers.workshop import find_rows, list_possible_rows, put_gem

WIDTH = 480
MARGIN = 12
INNER = WIDTH - 2 * MARGIN
GAP = 8
HEADER = 78
BAR = 30
STATION = 150
GUILD_TITLE = 26
GUILD_ROW = 46
SLOT_LEFT, SLOT_WIDTH, SLOT_HEIGHT = 122, 60, 38
TOKEN_LEFT, TOKEN_STEP = 400, 24
PANEL_TITLE = 34
CELL = 44
CELL_STEP = 46
WORKSHOP_LEFT = 104
CARD_LEFT, CARD_WIDTH, CARD_HEIGHT, CARD_STEP = 258, 62, 46, 66
CARDS_IN_LINE = 3
STRIP = 34
"""The height of the boxes above and below a workshop."""
HAND_TITLE = 20
RESULT_STEP = 28
PANEL = PANEL_TITLE + 3 * CELL_STEP + 8
FOOTER = 26
LONGEST_NAME = 17


@dataclass(frozen=True, slots=True)
class Point:
    """A place in user units."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Station:
    """One round on the track: `past`, `now` or `later`, with the pattern of its piece as small squares."""

    x: int
    name: str
    time: str
    dots: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A card of a hand; x and y are its upper left corner.

    `suit` is empty for a card that the reader cannot know; `number` is 0 for a gem.
    """

    x: int
    y: int
    code: str
    suit: str
    number: int
    is_picked: bool


@dataclass(frozen=True, slots=True)
class GuildRow:
    """A row of the guild: proclamations, empty slots, tokens, and what a proclaimed gem is worth there."""

    y: int
    name: str
    capacity: int
    value: int
    """The value of a proclaimed gem in this row; 0 without a proclamation."""
    proclamations: tuple[Card, ...]
    pending: tuple[Card, ...]
    """The reader's own sealed proclamation, at the row to which it would go now."""
    slots: tuple[Point, ...]
    tokens: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Gem:
    """A gem in a workshop; x and y are the middle. `value` is what it is worth, 0 until its row is settled.

    `is_pending`: it is the reader's own sealed pick, drawn where it is going to lie.
    """

    x: int
    y: int
    suit: str
    value: int
    is_pending: bool


@dataclass(frozen=True, slots=True)
class RowLabel:
    """The label beside a row of a workshop: its number, and the pattern rows in which it may come to lie.

    `number` is the one that a move would name now; 0 for a row that only the reader's sealed pick makes.
    """

    y: int
    number: int
    names: tuple[str, ...]
    is_settled: bool


@dataclass(frozen=True, slots=True)
class Result:
    """A seat's points of one finished round."""

    y: int
    name: str
    points: int


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """One seat: workshop, hand, tokens, score."""

    y: int
    letter: str
    name: str
    is_reader: bool
    status: str
    """`finished`, `picked`, `to pick`, `no card`, or empty when the match is over."""
    score: int
    taken: int
    results: tuple[Result, ...]
    gems: tuple[Gem, ...]
    slots: tuple[Point, ...]
    labels: tuple[RowLabel, ...]
    hand: tuple[Card, ...]
    pick: str
    """The spot of the reader's own picked gem, as notation writes it, or the rows of the proclamation."""


@dataclass(frozen=True, slots=True)
class Board:
    """The whole picture."""

    width: int
    height: int
    inner: int
    middle: int
    header: int
    is_over: bool
    was_ended: bool
    """True if the match was ended before the last round was counted; nobody is to pick any more."""
    round: int
    piece: str
    turn: int
    passes_left: bool
    pile: int
    waiting: tuple[str, ...]
    stations: tuple[Station, ...]
    guild_y: int
    guild_height: int
    guild: tuple[GuildRow, ...]
    panel_height: int
    panels: tuple[SeatPanel, ...]


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    was_ended = asked is not None and asked.is_over
    guild_y = HEADER + BAR
    guild_height = GUILD_TITLE + 3 * GUILD_ROW
    top = guild_y + guild_height + GAP
    scores = total_scores(view)
    panels = tuple(
        _place_seat(
            view,
            seat,
            "" if was_ended else _find_status(view, seat),
            name,
            scores[seat],
            top + seat * (PANEL + GAP),
        )
        for seat, name in enumerate(names)
    )
    return Board(
        width=WIDTH,
        height=top + len(panels) * (PANEL + GAP) + FOOTER,
        inner=INNER,
        middle=WIDTH // 2,
        header=HEADER,
        is_over=is_over(view),
        was_ended=was_ended,
        round=view.round,
        piece=piece_of(view).name,
        turn=view.turn,
        passes_left=piece_of(view).passes > 0,
        pile=view.pile_size,
        waiting=tuple(panel.name for panel in panels if panel.status == "to pick"),
        stations=tuple(_place_stations(view)),
        guild_y=guild_y,
        guild_height=guild_height,
        guild=tuple(_place_guild_row(view, row, guild_y + GUILD_TITLE + row * GUILD_ROW) for row in Row),
        panel_height=PANEL,
        panels=panels,
    )


def find_boxes(board: Board, begun: str, text: str) -> tuple[Box, ...]:
    """Find the card, then the row of the workshop or beyond its ends, or the row of the guild."""
    own = next((panel for panel in board.panels if panel.is_reader), None)
    match text.split():
        case ["play", suit] if own:
            return tuple(_find_cards(own, lambda code: SUIT_NAMES.get(code) == suit))
        case ["proclaim", suit] if own:
            return tuple(_find_cards(own, lambda code: len(code) > 1 and SUIT_NAMES[code[1]] == suit))
        case ["play", _, *spot] if own:
            return tuple(_find_rows(own, spot))
        case ["proclaim", *_, name]:
            return tuple(Box(20, row.y, WIDTH - 40, GUILD_ROW) for row in board.guild if row.name == name)
        case _:
            return ()


def _find_cards(panel: SeatPanel, is_meant: Callable[[str], bool]) -> Iterator[Box]:
    for card in panel.hand:
        if card.code and is_meant(card.code):
            yield Box(card.x, card.y, CARD_WIDTH, CARD_HEIGHT)


def _find_rows(panel: SeatPanel, spot: Sequence[str]) -> Iterator[Box]:
    """The row with this number, or a strip above or below all of them."""
    width = 3 * CELL_STEP
    match spot:
        case ["row", number]:
            for label in panel.labels:
                if str(label.number) == number:
                    yield Box(WORKSHOP_LEFT, label.y, width, CELL)
        case ["above"] if panel.labels:
            yield Box(WORKSHOP_LEFT, panel.labels[0].y - STRIP, width, STRIP, "▲")
        case ["below"] if panel.labels:
            yield Box(WORKSHOP_LEFT, panel.labels[-1].y + CELL, width, STRIP, "▼")


def _place_stations(view: View) -> Iterator[Station]:
    for place, piece in enumerate(PIECES):
        number = place + 1
        time = "now" if number == view.round else "later"
        if is_over(view) or number < view.round:
            time = "past"
        x = MARGIN + 4 + place * STATION
        dots = tuple(
            Point(x + 20 + 12 * (dot - (size - 1) / 2), 44 + 11 * line)
            for line, size in enumerate(piece.capacities)
            for dot in range(size)
        )
        yield Station(x, piece.name, time, dots)


def _place_guild_row(view: View, row: Row, y: int) -> GuildRow:
    suits = view.guild[row]
    is_aim = isinstance(view.pick, Proclaim) and row == _find_aim(view, view.pick)
    places = [SLOT_LEFT + slot * (SLOT_WIDTH + GAP) for slot in range(PROCLAMATIONS_PER_ROW)]
    free = places[len(suits) :]
    return GuildRow(
        y=y,
        name=ROW_NAMES[row],
        capacity=piece_of(view).capacities[row],
        value=VALUES[len(suits)] if suits else 0,
        proclamations=tuple(
            _make_card(PROCLAMATION[suit], x, y + 4) for x, suit in zip(places, suits, strict=False)
        ),
        pending=(_make_card(_find_picked(view), free[0], y + 4),) if is_aim else (),
        slots=tuple(Point(x, y + 4) for x in free[is_aim:]),
        tokens=tuple(Point(TOKEN_LEFT + TOKEN_STEP * place, y + 23) for place in range(view.tokens[row])),
    )


def _find_aim(view: View, proclaim: Proclaim) -> Row:
    """The row to which a proclamation picked now would go."""
    opened = list_open_rows(view.guild)
    return next(row for row in (*proclaim.rows, *opened) if row in opened)


def _make_card(code: str, x: int, y: int, *, is_picked: bool = False) -> Card:
    suit = code[-1:]
    return Card(x, y, code, suit, NUMBER[suit] if len(code) > 1 else 0, is_picked)


def _place_seat(view: View, seat: Seat, status: str, name: str, score: int, y: int) -> SeatPanel:
    gems, slots, labels = _place_workshop(view, seat, y + PANEL_TITLE)
    return SeatPanel(
        y=y,
        letter=seat_letter(seat),
        name=_shorten(name),
        is_reader=seat == view.reader,
        status=status,
        score=score,
        taken=view.taken[seat],
        results=tuple(
            Result(y + PANEL_TITLE + CELL + place * RESULT_STEP, PIECES[place].name, result[seat])
            for place, result in enumerate(view.results)
        ),
        gems=gems,
        slots=slots,
        labels=labels,
        hand=() if is_over(view) else tuple(_place_hand(view, seat, y + PANEL_TITLE + HAND_TITLE)),
        pick=_name_target(view) if seat == view.reader else "",
    )


def _find_status(view: View, seat: Seat) -> str:
    if is_over(view):
        return ""
    if is_finished(view.workshops[seat]):
        return "finished"
    if view.has_picked[seat]:
        return "picked"
    return "to pick" if view.hand_sizes[seat] else "no card"


def _place_workshop(
    view: View, seat: Seat, top: int
) -> tuple[tuple[Gem, ...], tuple[Point, ...], tuple[RowLabel, ...]]:
    """Gems, empty cells and row labels; rows that are not settled float in the middle of the three lines."""
    workshop, piece = view.workshops[seat], piece_of(view)
    pending, first_number = -1, 1
    if seat == view.reader and isinstance(view.pick, Play):
        workshop = put_gem(workshop, view.pick.gem, view.pick.spot)
        pending = _find_place(view.pick.spot, len(workshop))
        first_number = 0 if view.pick.spot is Spot.ABOVE else 1
    rows = find_rows(workshop, piece)
    floating = top + (len(Row) - len(workshop)) * CELL_STEP // 2
    gems: list[Gem] = []
    slots: list[Point] = []
    labels = []
    for place, row_gems in enumerate(workshop):
        line = top + rows[place] * CELL_STEP if rows else floating + place * CELL_STEP
        size = piece.capacities[rows[place]] if rows else len(row_gems)
        cells = _place_cells(size, line)
        for cell, suit in zip(cells, row_gems, strict=False):
            value = value_gem(suit, rows[place], view.guild) if rows else 0
            gems.append(Gem(int(cell.x) + CELL // 2, int(cell.y) + CELL // 2, suit, value, is_pending=False))
        if place == pending:
            gems[-1] = replace(gems[-1], is_pending=True)
        slots += cells[len(row_gems) :]
        names = tuple(ROW_NAMES[row] for row in list_possible_rows(workshop, piece, place))
        is_new = place == pending and len(row_gems) == 1
        number = 0 if is_new else first_number + place
        labels.append(RowLabel(line, number, names, is_settled=rows is not None))
    for row in Row:
        if not workshop or (rows and row not in rows):
            slots += _place_cells(piece.capacities[row], top + row * CELL_STEP)
    return tuple(gems), tuple(slots), tuple(labels)


def _find_place(spot: Spot, rows: int) -> int:
    """Return the row of the workshop, from 0, that holds the gem put at this spot, as its last gem."""
    if spot in ROW_SPOTS:
        return ROW_SPOTS.index(spot)
    return rows - 1 if spot is Spot.BELOW else 0


def _place_cells(size: int, y: int) -> list[Point]:
    """The cells of one row, centred, by their upper left corners."""
    left = WORKSHOP_LEFT + (3 - size) * CELL_STEP // 2
    return [Point(left + place * CELL_STEP, y) for place in range(size)]


def _place_hand(view: View, seat: Seat, top: int) -> Iterator[Card]:
    """Place the reader's own cards; of another seat the cards that the reader has passed on, then unknown ones."""
    is_own = seat == view.reader
    cards: Cards = view.hand if is_own else view.known[seat]
    cards = (*cards, *("",) * (view.hand_sizes[seat] - len(cards)))
    picked = _find_picked(view) if is_own else ""
    place_picked = cards.index(picked) if picked else -1
    for place, code in enumerate(cards):
        x = CARD_LEFT + place % CARDS_IN_LINE * CARD_STEP
        y = top + place // CARDS_IN_LINE * (CARD_HEIGHT + 4)
        yield _make_card(code, x, y, is_picked=place == place_picked)


def _find_picked(view: View) -> str:
    if view.pick is None:
        return ""
    return view.pick.gem if isinstance(view.pick, Play) else PROCLAMATION[view.pick.suit]


def _name_target(view: View) -> str:
    if view.pick is None:
        return ""
    if isinstance(view.pick, Play):
        return view.pick.spot.value
    return " ".join([ROW_NAMES[row] for row in view.pick.rows])


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
