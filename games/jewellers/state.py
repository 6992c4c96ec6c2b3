"""Jewellers' position, its view, and its six moves.

A *gem* is a code of `components.GEMS` (`Pm`: the medium pearl), a *junction* a code of `components.JUNCTIONS`;
tuples of cards ascend.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from games.contract import Asked, Seat
from games.jewellers.components import GEMS, SILVER_POINTS

Cards: TypeAlias = tuple[int, ...]


class Phase(StrEnum):
    """The decision that the seat to act has to make."""

    PLACE = "place"
    """Give the silver tower its first place."""
    DRAW = "draw"
    BID = "bid"
    MOVE = "move"
    """Move the rest of the silver tower, or leave it."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Sale:
    """The end of a gem's auction: its buyer (None: unsold) and the cards that paid for it."""

    gem: str
    buyer: Seat | None
    cards: Cards


@dataclass(frozen=True)
class State:
    """The whole position."""

    phase: Phase
    starter: Seat
    """The starter of this round; while silver is moved, of the next one."""
    turn: Seat
    """The seat to act; meaningless when the match is over."""
    gem: str | None
    """The gem that is auctioned now."""
    bag: tuple[tuple[str, ...], ...]
    """The colours of each size still in the bag, in the order in which they will be drawn."""
    hands: tuple[Cards, ...]
    table: tuple[Cards, ...]
    """The cards that each seat has put down in this auction."""
    passed: tuple[Seat, ...]
    """The seats that have passed in this auction, in order."""
    leader: Seat | None
    sales: tuple[Sale, ...]
    tower: str | None
    """The junction where silver waits; None without any."""
    silver: tuple[Seat, ...]
    """The owners of the silver pieces given out so far: the small, the medium, the large one."""
    ages: tuple[int, ...]
    """The players' ages for the last tie-break; empty when they are not known."""


@dataclass(frozen=True, slots=True)
class View:
    """The view of one reader: everything but the order of the colours in the bag."""

    reader: Seat | None
    phase: Phase
    starter: Seat
    turn: Seat
    gem: str | None
    bag: tuple[tuple[str, ...], ...]
    """The colours of each size still in the bag, in the order of the plan."""
    hands: tuple[Cards, ...]
    table: tuple[Cards, ...]
    passed: tuple[Seat, ...]
    leader: Seat | None
    sales: tuple[Sale, ...]
    tower: str | None
    silver: tuple[Seat, ...]
    ages: tuple[int, ...]


Position: TypeAlias = State | View


def ask_at_table(view: View) -> Asked:
    """Return the seats for which the table waits when all act in turn."""
    return Asked.in_turn(view.turn, is_over=view.phase is Phase.OVER)


def leading_total(position: Position) -> int:
    """The highest total on the table; 0 before the first bid."""
    return 0 if position.leader is None else sum(position.table[position.leader])


def highest_total(position: Position, seat: Seat) -> int:
    """The total of this seat if it put down every card."""
    return sum(position.table[seat]) + sum(position.hands[seat])


def must_open(position: Position, seat: Seat) -> bool:
    """Return whether the seat may not pass: it starts the round, holds cards, and nobody has bid."""
    return position.leader is None and seat == position.starter


def takes_part(position: Position, seat: Seat) -> bool:
    """Return whether the seat held cards when the auction opened."""
    return bool(position.hands[seat] or position.table[seat])


def gem_number(position: Position) -> int:
    """The number of the gem that is auctioned now or will be drawn next, from 1."""
    return min(len(position.sales) + 1, len(GEMS))


def silver_left(position: Position) -> int:
    """Return the number of silver pieces that no seat has got yet."""
    return len(SILVER_POINTS) - len(position.silver)


@dataclass(frozen=True, slots=True)
class Draw:
    """Take a gem of this size from the bag."""

    size: str


@dataclass(frozen=True, slots=True)
class Bid:
    """Add these cards to one's own on the table."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class UpTo:
    """Bid as little as possible, with a total of at most `limit`.

    A shorthand that `parse` resolves into a `Bid` when it is the seat's turn; it stays as it is in an order
    for later, or when no bid fits.
    """

    limit: int


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave this auction."""


@dataclass(frozen=True, slots=True)
class Place:
    """Put the silver tower, or what is left of it, on this junction."""

    junction: str


@dataclass(frozen=True, slots=True)
class Stay:
    """Leave the silver where it is."""


Move: TypeAlias = Draw | Bid | UpTo | Pass | Place | Stay
