"""Gemessengers' position, its view, and its two moves.

A card is a gem (`R`) or a proclamation (`*R`). Hands stand in the canonical order of `components.ORDER`, so that
their order gives nothing away about who held or drew a card.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TypeAlias

from games.contract import Seat
from games.gemessengers.components import PIECES, ROUNDS, WORKSHOP_SIZE, Piece, Row

Cards: TypeAlias = tuple[str, ...]

Workshop: TypeAlias = tuple[Cards, ...]
"""One to three rows of gems from the top, or none; within a row in the order in which they were placed."""


class Spot(StrEnum):
    """The spot of a gem in its workshop; the value is the text that notation writes behind the gem."""

    FIRST = ""
    ROW_1 = "row 1"
    ROW_2 = "row 2"
    ROW_3 = "row 3"
    ABOVE = "above"
    BELOW = "below"


ROW_SPOTS = (Spot.ROW_1, Spot.ROW_2, Spot.ROW_3)
"""Beside the gems of an existing row, counted from the top."""


@dataclass(frozen=True, slots=True)
class Play:
    """Put a gem into one's own workshop."""

    gem: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class Proclaim:
    """Send the proclamation of a suit to a guild row; the rows are named in order of preference."""

    suit: str
    rows: tuple[Row, ...]


Move: TypeAlias = Play | Proclaim


@dataclass(frozen=True, slots=True)
class Picks:
    """The picks of one turn: for each seat a gem, or a proclamation, or neither."""

    plays: tuple[Play | None, ...]
    proclaims: tuple[Proclaim | None, ...]

    def of(self, seat: Seat) -> Move | None:
        return self.plays[seat] or self.proclaims[seat]


@cache
def no_picks(seats: int) -> Picks:
    """Return the picks when nobody has picked."""
    return Picks((None,) * seats, (None,) * seats)


@dataclass(frozen=True)
class State:
    """The whole position. A card that is picked stays in its seat's hand until the reveal."""

    round: int
    """1 to 3."""
    turn: int
    """Within the round, from 1."""
    hands: tuple[Cards, ...]
    sealed: Picks
    """The picks of this turn, until all have picked."""
    revealed: Picks
    """The picks of the turn before."""
    known: tuple[tuple[Cards, ...], ...]
    """`known[reader][holder]`: cards that the reader has passed on and that must still be in the holder's hand."""
    pile: Cards
    """The draw pile, top first."""
    workshops: tuple[Workshop, ...]
    guild: tuple[Cards, ...]
    """The suits of the proclamations in each row, in the order in which they were placed."""
    tokens: tuple[int, ...]
    """Tokens left at each guild row."""
    taken: tuple[int, ...]
    """Tokens that each seat has taken in this round."""
    decks: tuple[Cards, ...]
    """The shuffled cards of the rounds to come."""
    results: tuple[tuple[int, ...], ...]
    """For every finished round, the points of every seat."""


@dataclass(frozen=True, slots=True)
class View:
    """The view of one reader: the table, the own hand and pick, and which cards the reader has passed on."""

    reader: Seat | None
    round: int
    turn: int
    hand: Cards
    pick: Move | None
    hand_sizes: tuple[int, ...]
    """A sealed pick counts as a card of the hand."""
    has_picked: tuple[bool, ...]
    known: tuple[Cards, ...]
    """Cards that the reader has passed on and that must still be in each seat's hand."""
    revealed: Picks
    pile_size: int
    workshops: tuple[Workshop, ...]
    guild: tuple[Cards, ...]
    tokens: tuple[int, ...]
    taken: tuple[int, ...]
    results: tuple[tuple[int, ...], ...]


def piece_of(position: State | View) -> Piece:
    """The piece that is crafted in this round."""
    return PIECES[position.round - 1]


def is_over(position: State | View) -> bool:
    """Return whether the last round has been counted."""
    return len(position.results) == ROUNDS


def is_finished(workshop: Workshop) -> bool:
    """Return whether the workshop has all six gems."""
    return sum(map(len, workshop)) == WORKSHOP_SIZE


def can_pick(state: State, seat: Seat) -> bool:
    """Return whether the seat picks in this turn, also if it has picked already (paragraph 11)."""
    return bool(state.hands[seat]) and not is_finished(state.workshops[seat])
