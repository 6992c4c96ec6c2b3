"""The board picture of Gemessengers as data: what is drawn, and where.

User units; the picture is 480 wide, so that its smallest text is still readable on a phone.
"""

from __future__ import annotations

from dataclasses import dataclass

from games.gemessengers.components import Row

WIDTH = 480
GUILD_ROW = 50
SLOT_WIDTH, SLOT_HEIGHT = 60, 42
PANEL_TITLE = 54


@dataclass(frozen=True, slots=True)
class Point:
    """A place in user units."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Scale:
    """The sizes in which a seat's workshop and hand are drawn."""

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

    def find_pattern(self, top: int) -> int:
        """The top of the three rows of the pattern, in the middle of the workshop."""
        return top + (self.lines - len(Row)) * self.line // 2

    def place_cells(self, size: int, y: int) -> list[Point]:
        """The cells of one row, centred, by their upper left corners."""
        left = self.workshop_left + (3 - size) * self.column // 2
        return [Point(left + place * self.column, y) for place in range(size)]


OWN = Scale(48, 50, 52, 4, 98, 278, 60, 64, 63, 3)
"""Large enough for fingers."""
OTHER = Scale(34, 36, 36, 3, 112, 262, 32, 42, 33, 6)


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
    pick: tuple[str, ...]
    """The rows of the guild that the reader's own picked proclamation goes to."""


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
