"""Places Gemessengers' pieces on the board picture; the SVG template only draws what is listed here.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from games.board_text import shorten
from games.contract import Asked, Box, Gesture, Laid, Seat, seat_letter
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
HEADER = 102
STATION = 150
GUILD_TITLE = 24
GUILD_ROW = 50
SLOT_LEFT, SLOT_WIDTH, SLOT_HEIGHT = 122, 60, 42
TOKEN_LEFT, TOKEN_STEP = 400, 24
PANEL_TITLE = 54
HAND_TITLE = 18
RESULT_STEP = 28
FOOTER = 42
NAME_WIDTH, NAME_SIZE = 270, 16
ACTOR_WIDTH, ACTOR_SIZE = 130, 12


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a seat's workshop and hand are drawn."""

    cell: int
    column: int
    """From one cell of a row to the next."""
    line: int
    """From one row to the next."""
    lines: int
    """The height of the workshop; a row above or below two that still float takes a fourth."""
    workshop_left: int
    hand_left: int
    card_width: int
    card_height: int
    card_step: int
    cards_in_line: int


OWN = Scale(48, 50, 52, 4, 98, 278, 60, 64, 63, 3)
"""Large enough for fingers."""
OTHER = Scale(34, 36, 36, 3, 112, 262, 32, 42, 33, 6)


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
    """A card of a hand or of the guild; x and y are its upper left corner.

    `suit` is empty for a card that the reader cannot know; `number` is 0 for a gem.
    """

    x: int
    y: int
    code: str
    suit: str
    number: int
    is_picked: bool
    name: str
    """The card's name, by which it is known again; equal gems of a seat are numbered. Empty for unknown cards."""


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
    name: str


@dataclass(frozen=True, slots=True)
class RowLabel:
    """The label beside a row of a workshop: its number, and the pattern rows in which it may come to lie.

    `number` is the one that a move would name now; 0 for a row that only the reader's sealed pick makes.
    """

    y: int
    number: int
    names: tuple[str, ...]
    is_settled: bool
    next: Point
    """The upper left corner of the cell in which a further gem of the row would lie."""


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
    height: int
    scale: Scale
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
    panels: tuple[SeatPanel, ...]
    """The reader's own first, then clockwise; by their letters for a spectator."""


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place everything on the picture of this view."""
    was_ended = asked is not None and asked.is_over
    guild_y = HEADER + GAP
    guild_height = GUILD_TITLE + 3 * GUILD_ROW + 2
    y = guild_y + guild_height + GAP
    scores = total_scores(view)
    panels = []
    for place in range(len(names)):
        seat = (place + (view.reader or 0)) % len(names)
        status = "" if was_ended else _find_status(view, seat)
        panel = _place_seat(view, seat, status, names[seat], scores[seat], y)
        panels.append(panel)
        y += panel.height + GAP
    waiting = [
        names[seat] for seat in range(len(names)) if not was_ended and _find_status(view, seat) == "to pick"
    ]
    return Board(
        width=WIDTH,
        height=y + FOOTER,
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
        waiting=tuple([shorten(name, ACTOR_WIDTH, ACTOR_SIZE) for name in waiting]),
        stations=tuple(_place_stations(view)),
        guild_y=guild_y,
        guild_height=guild_height,
        guild=tuple(_place_guild_row(view, row, guild_y + GUILD_TITLE + row * GUILD_ROW) for row in Row),
        panels=tuple(panels),
    )


def find_gesture(board: Board, begun: str, text: str) -> Gesture | None:
    """Touch the card, then the row of the workshop or beyond its ends, or the row of the guild."""
    own = next((panel for panel in board.panels if panel.is_reader), None)
    match text.split():
        case ["play", suit] if own:
            cards = _find_gems(own, suit)
            is_begun = any(label.number for label in own.labels)
            first = [] if is_begun else [_cell_of(own, 1, 1)]
            return Gesture([cards], [Laid(card, cell) for card in cards for cell in first])
        case ["proclaim", suit] if own:
            return Gesture([_find_proclamations(own, suit)])
        case ["play", suit, *spot] if own:
            places = list(_find_spots(own, spot))
            laid = [Laid(card, cell) for card in _find_gems(own, suit) for _row, cell in places]
            return Gesture([[row for row, _cell in places]], laid)
        case ["proclaim", suit, *names] if own:
            rows = [row for row in board.guild if row.name == names[-1]]
            slots = [_box_of_slot(row.slots[0]) for row in board.guild if row.name == names[0] and row.slots]
            laid = [Laid(card, slot) for card in _find_proclamations(own, suit) for slot in slots]
            return Gesture([[Box(20, row.y, WIDTH - 40, GUILD_ROW) for row in rows]], laid)
        case _:
            return None


def find_marks(board: Board, seat: Seat, text: str) -> Sequence[Box]:
    """The gem in the seat's workshop, or the proclamation in the guild, while they lie there."""
    panel = next(panel for panel in board.panels if panel.letter == seat_letter(seat))
    match text.split():
        case ["proclaim", suit, *_]:
            cards = [card for row in board.guild for card in (*row.proclamations, *row.pending)]
            return [_box_of_slot(card) for card in cards if SUIT_NAMES[card.suit] == suit]
        case ["play", suit, *spot]:
            row = _find_row(panel, spot)
            gems = [gem for gem in panel.gems if row and row.y < gem.y < row.y + panel.scale.cell]
            return [_box_of_gem(panel, gem) for gem in gems if SUIT_NAMES[gem.suit] == suit][-1:]
        case _:
            return ()


def _find_row(panel: SeatPanel, spot: Sequence[str]) -> RowLabel | None:
    """The row in which a gem lies that was put at this spot."""
    if not panel.labels:
        return None
    match spot:
        case ["row", number]:
            return next((label for label in panel.labels if str(label.number) == number), None)
        case ["below"]:
            return panel.labels[-1]
        case _:
            return panel.labels[0]


def _box_of_gem(panel: SeatPanel, gem: Gem) -> Box:
    cell = panel.scale.cell
    return Box(gem.x - cell // 2, gem.y - cell // 2, cell, cell)


def _box_of_slot(slot: Point | Card) -> Box:
    return Box(slot.x, slot.y, SLOT_WIDTH, SLOT_HEIGHT)


def _find_gems(panel: SeatPanel, suit: str) -> list[Box]:
    return _find_cards(panel, lambda code: SUIT_NAMES.get(code) == suit)


def _find_proclamations(panel: SeatPanel, suit: str) -> list[Box]:
    return _find_cards(panel, lambda code: code[1:] != "" and SUIT_NAMES[code[1]] == suit)


def _find_cards(panel: SeatPanel, is_meant: Callable[[str], bool]) -> list[Box]:
    scale = panel.scale
    return [
        Box(card.x, card.y, scale.card_width, scale.card_height)
        for card in panel.hand
        if card.code and is_meant(card.code)
    ]


def _find_spots(panel: SeatPanel, spot: Sequence[str]) -> Iterator[tuple[Box, Box]]:
    """The row with this number, or the line above or below all of them; each with the cell for the gem."""
    rows = panel.labels
    match spot:
        case ["row", number]:
            for label in rows:
                if str(label.number) == number:
                    yield _box_of_line(label.y), Box(label.next.x, label.next.y, OWN.cell, OWN.cell)
        case ["above"] if rows:
            y = rows[0].y - (OWN.line if rows[0].number else 0)
            yield _box_of_line(y, "▲"), _middle_cell(y)
        case ["below"] if rows:
            y = rows[-1].y + (OWN.line if rows[-1].number else 0)
            yield _box_of_line(y, "▼"), _middle_cell(y)


def _box_of_line(y: int, mark: str = "") -> Box:
    return Box(OWN.workshop_left, y - 1, 3 * OWN.column, OWN.line - 2, mark)


def _middle_cell(y: int) -> Box:
    (cell,) = _place_cells(1, y, OWN)
    return Box(cell.x, cell.y, OWN.cell, OWN.cell)


def _cell_of(panel: SeatPanel, column: int, line: int) -> Box:
    top = _find_pattern(panel.y + PANEL_TITLE, OWN)
    return Box(OWN.workshop_left + column * OWN.column, top + line * OWN.line, OWN.cell, OWN.cell)


def _place_stations(view: View) -> Iterator[Station]:
    for place, piece in enumerate(PIECES):
        number = place + 1
        time = "now" if number == view.round else "later"
        if is_over(view) or number < view.round:
            time = "past"
        x = MARGIN + 4 + place * STATION
        dots = tuple(
            Point(x + 20 + 12 * (dot - (size - 1) / 2), 45 + 11 * line)
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
            _make_card(PROCLAMATION[suit], x, y + 4, f"*{suit}")
            for x, suit in zip(places, suits, strict=False)
        ),
        pending=(_make_card(_find_picked(view), free[0], y + 4, ""),) if is_aim else (),
        slots=tuple(Point(x, y + 4) for x in free[is_aim:]),
        tokens=tuple(Point(TOKEN_LEFT + TOKEN_STEP * place, y + 25) for place in range(view.tokens[row])),
    )


def _find_aim(view: View, proclaim: Proclaim) -> Row:
    """The row to which a proclamation picked now would go."""
    opened = list_open_rows(view.guild)
    return next(row for row in (*proclaim.rows, *opened) if row in opened)


def _make_card(code: str, x: int, y: int, name: str, *, is_picked: bool = False) -> Card:
    suit = code[-1:]
    return Card(x, y, code, suit, NUMBER[suit] if len(code) > 1 else 0, is_picked, name)


def _name_pieces(letter: str, codes: Iterable[str]) -> Iterator[str]:
    """Name a seat's cards; equal gems by their place, so that a gem of the hand keeps its name in the workshop."""
    counted: Counter[str] = Counter()
    for code in codes:
        counted[code] += 1
        yield f"{code}-{letter}{counted[code]}" if len(code) == 1 else code


def _place_seat(view: View, seat: Seat, status: str, name: str, score: int, y: int) -> SeatPanel:
    scale = OWN if seat == view.reader else OTHER
    top = y + PANEL_TITLE
    letter = seat_letter(seat)
    cards = _list_hand(view, seat)
    laid = [gem for row in view.workshops[seat] for gem in row]
    pieces = list(_name_pieces(letter, [*laid, *cards]))
    gems, slots, labels = _place_workshop(view, seat, pieces[: len(laid)], top, scale)
    return SeatPanel(
        y=y,
        height=PANEL_TITLE + scale.lines * scale.line + 6,
        scale=scale,
        letter=letter,
        name=shorten(name, NAME_WIDTH, NAME_SIZE),
        is_reader=seat == view.reader,
        status=status,
        score=score,
        taken=view.taken[seat],
        results=tuple(
            Result(top + HAND_TITLE + 18 + place * RESULT_STEP, PIECES[place].name, result[seat])
            for place, result in enumerate(view.results)
        ),
        gems=gems,
        slots=slots,
        labels=labels,
        hand=()
        if is_over(view)
        else tuple(_place_hand(view, seat, cards, pieces[len(laid) :], top + HAND_TITLE, scale)),
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


def _find_pattern(top: int, scale: Scale) -> int:
    """The top of the three rows of the pattern, in the middle of the workshop."""
    return top + (scale.lines - len(Row)) * scale.line // 2


def _place_workshop(
    view: View, seat: Seat, pieces: Sequence[str], top: int, scale: Scale
) -> tuple[tuple[Gem, ...], tuple[Point, ...], tuple[RowLabel, ...]]:
    """Gems, empty cells and row labels; rows that are not settled float in the middle of the lines."""
    workshop, piece = view.workshops[seat], piece_of(view)
    top = _find_pattern(top, scale)
    unnamed = list(pieces)
    pending, first_number = -1, 1
    if seat == view.reader and isinstance(view.pick, Play):
        workshop = put_gem(workshop, view.pick.gem, view.pick.spot)
        pending = _find_place(view.pick.spot, len(workshop))
        first_number = 0 if view.pick.spot is Spot.ABOVE else 1
    rows = find_rows(workshop, piece)
    floating = top + (len(Row) - len(workshop)) * scale.line // 2
    gems: list[Gem] = []
    slots: list[Point] = []
    labels = []
    for place, row_gems in enumerate(workshop):
        line = top + rows[place] * scale.line if rows else floating + place * scale.line
        size = piece.capacities[rows[place]] if rows else len(row_gems)
        cells = _place_cells(size, line, scale)
        for number, (cell, suit) in enumerate(zip(cells, row_gems, strict=False), start=1):
            value = value_gem(suit, rows[place], view.guild) if rows else 0
            is_pending = place == pending and number == len(row_gems)
            name = "" if is_pending else unnamed.pop(0)
            middle = int(cell.x) + scale.cell // 2, int(cell.y) + scale.cell // 2
            gems.append(Gem(*middle, suit, value, is_pending, name))
        free = cells[len(row_gems) :]
        slots += free
        names = tuple(ROW_NAMES[row] for row in list_possible_rows(workshop, piece, place))
        is_new = place == pending and len(row_gems) == 1
        number = 0 if is_new else first_number + place
        after = free[0] if free else Point(cells[-1].x + scale.column, line)
        labels.append(RowLabel(line, number, names, rows is not None, after))
    for row in Row:
        if not workshop or (rows and row not in rows):
            slots += _place_cells(piece.capacities[row], top + row * scale.line, scale)
    return tuple(gems), tuple(slots), tuple(labels)


def _find_place(spot: Spot, rows: int) -> int:
    """Return the row of the workshop, from 0, that holds the gem put at this spot, as its last gem."""
    if spot in ROW_SPOTS:
        return ROW_SPOTS.index(spot)
    return rows - 1 if spot is Spot.BELOW else 0


def _place_cells(size: int, y: int, scale: Scale) -> list[Point]:
    """The cells of one row, centred, by their upper left corners."""
    left = scale.workshop_left + (3 - size) * scale.column // 2
    return [Point(left + place * scale.column, y) for place in range(size)]


def _list_hand(view: View, seat: Seat) -> Cards:
    """The reader's own cards; of another seat the cards that the reader has passed on, then unknown ones."""
    cards: Cards = view.hand if seat == view.reader else view.known[seat]
    return (*cards, *("",) * (view.hand_sizes[seat] - len(cards)))


def _place_hand(
    view: View, seat: Seat, cards: Cards, pieces: Sequence[str], top: int, scale: Scale
) -> Iterator[Card]:
    picked = _find_picked(view) if seat == view.reader else ""
    place_picked = cards.index(picked) if picked else -1
    for place, code in enumerate(cards):
        line, column = divmod(place, scale.cards_in_line)
        x = scale.hand_left + column * scale.card_step
        y = top + line * (scale.card_height + 4)
        yield _make_card(code, x, y, pieces[place] if code else "", is_picked=place == place_picked)


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
