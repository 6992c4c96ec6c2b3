"""Florentine Domino's position, its view, and its four moves.

A *card* is its code (`rrbg`), a *cell* its name (`d4`), an *edge* or facing one of `N`, `E`, `S`, `W`. A *look*
is a card as it lies: its colours north, east, south, west. The *square* is a tuple of 49 looks in the order of
`square.CELLS`, empty where no card lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from games.contract import Asked, Seat

Cards: TypeAlias = tuple[str, ...]
Square: TypeAlias = tuple[str, ...]


class Phase(StrEnum):
    """The part of the match that is being played."""

    HANDS = "hands"
    """Cards are played from hidden hands, and drawn."""
    POOL = "pool"
    """All cards lie open; any of them can be placed."""
    BLACK = "black"
    """No card fits; each seat may lay its black card."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Place:
    """Put a card on a cell; the first letter of its code faces `facing`."""

    card: str
    cell: str
    facing: str


@dataclass(frozen=True, slots=True)
class Discard:
    """Lay a hand card open into the pool."""

    card: str


@dataclass(frozen=True, slots=True)
class Black:
    """Put one's black card against an outer edge of the square."""

    cell: str
    edge: str


@dataclass(frozen=True, slots=True)
class Decline:
    """Keep one's black card."""


Move: TypeAlias = Place | Discard | Black | Decline


@dataclass(frozen=True)
class State:
    """The whole position."""

    phase: Phase
    turn: Seat
    """The seat to act; meaningless when the match is over."""
    colours: str
    """The colour of every seat, one letter each."""
    square: Square
    hands: tuple[Cards, ...]
    """The hidden hands, in the order dealt and drawn; empty once the pile is used up."""
    pool: Cards
    """The open cards, in the order in which they were laid."""
    pile: Cards
    """The face-down cards, top first."""
    blacks: tuple[Black | None, ...]
    """The place of each seat's black card; None while it is not laid."""
    answered: int
    """The number of seats that have laid or kept their black card."""


@dataclass(frozen=True, slots=True)
class View:
    """The view of one reader: all but the other hands and the pile."""

    reader: Seat | None
    phase: Phase
    turn: Seat
    colours: str
    square: Square
    hand: Cards
    """The reader's own hand in canonical order; empty for a spectator."""
    hand_sizes: tuple[int, ...]
    pool: Cards
    """The open cards in canonical order."""
    pile_size: int
    blacks: tuple[Black | None, ...]
    answered: int


def ask_at_table(view: View) -> Asked:
    """Return the seats for which the table waits."""
    return Asked.in_turn(view.turn, is_over=view.phase is Phase.OVER)
