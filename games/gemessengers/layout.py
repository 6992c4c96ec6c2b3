"""Places Gemessengers' pieces on the board picture; the SVG template only draws what is listed here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from games.board_text import shorten
from games.contract import Asked, Seat, seat_letter
from games.gemessengers.board import (
    GUILD_ROW,
    OTHER,
    OWN,
    PANEL_TITLE,
    SLOT_WIDTH,
    WIDTH,
    Board,
    Card,
    Gem,
    GuildRow,
    Point,
    Result,
    RowLabel,
    Scale,
    SeatPanel,
    Station,
)
from games.gemessengers.components import (
    NUMBER,
    PIECES,
    PROCLAMATION,
    PROCLAMATIONS_PER_ROW,
    ROW_NAMES,
    VALUES,
    Row,
)
from games.gemessengers.gestures import find_gesture, find_marks
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

__all__ = ["find_gesture", "find_marks", "layout"]

MARGIN = 12
INNER = WIDTH - 2 * MARGIN
GAP = 8
HEADER = 102
STATION = 150
GUILD_TITLE = 24
SLOT_LEFT = 122
TOKEN_LEFT, TOKEN_STEP = 400, 24
HAND_TITLE = 18
RESULT_STEP = 28
FOOTER = 42
NAME_WIDTH, NAME_SIZE = 270, 16
ACTOR_WIDTH, ACTOR_SIZE = 130, 12


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
        pick=_list_target_rows(view) if seat == view.reader else (),
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
    view: View, seat: Seat, pieces: Sequence[str], top: int, scale: Scale
) -> tuple[tuple[Gem, ...], tuple[Point, ...], tuple[RowLabel, ...]]:
    """Gems, empty cells and row labels; rows that are not settled float in the middle of the lines."""
    workshop, piece = view.workshops[seat], piece_of(view)
    top = scale.find_pattern(top)
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
        cells = scale.place_cells(size, line)
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
            slots += scale.place_cells(piece.capacities[row], top + row * scale.line)
    return tuple(gems), tuple(slots), tuple(labels)


def _find_place(spot: Spot, rows: int) -> int:
    """Return the row of the workshop, from 0, that holds the gem put at this spot, as its last gem."""
    if spot in ROW_SPOTS:
        return ROW_SPOTS.index(spot)
    return rows - 1 if spot is Spot.BELOW else 0


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


def _list_target_rows(view: View) -> tuple[str, ...]:
    """The guild's rows that a picked proclamation goes to; a picked gem lies in its place already."""
    return tuple(ROW_NAMES[row] for row in view.pick.rows) if isinstance(view.pick, Proclaim) else ()
