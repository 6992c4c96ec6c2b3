"""Finds the gestures that make Gemessengers' moves on the board picture, and the marks of moves that were made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from games.contract import Seat, seat_letter
from games.gemessengers.board import (
    GUILD_ROW,
    OWN,
    PANEL_TITLE,
    SLOT_HEIGHT,
    SLOT_WIDTH,
    WIDTH,
    Board,
    Card,
    Gem,
    Point,
    RowLabel,
    SeatPanel,
)
from games.gemessengers.components import SUIT_NAMES
from games.picture import Box, Gesture, Laid


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
    (cell,) = OWN.place_cells(1, y)
    return Box(cell.x, cell.y, OWN.cell, OWN.cell)


def _cell_of(panel: SeatPanel, column: int, line: int) -> Box:
    top = OWN.find_pattern(panel.y + PANEL_TITLE)
    return Box(OWN.workshop_left + column * OWN.column, top + line * OWN.line, OWN.cell, OWN.cell)
