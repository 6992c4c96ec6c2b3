"""GEM's position, its view, and its five moves.

A *piece* is a coin (`1`, `2`, `3`) or a jewel card (`SR`); tuples of pieces stand in the canonical order of
`components.ORDER`, the open cards in the order in which they were dealt.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from games.contract import Asked, Seat

Pieces: TypeAlias = tuple[str, ...]


class Phase(StrEnum):
    """The decision that the seat to act has to make."""

    BID = "bid"
    TAKE = "take"
    INVEST = "invest"
    OVER = "over"


@dataclass(frozen=True)
class State:
    """The whole position."""

    phase: Phase
    day: int
    """1 to 6."""
    auction: int
    """Number of the auction within the day, from 1."""
    oya: Seat
    turn: Seat
    """The seat to act; meaningless when the match is over."""
    calls: tuple[int | None, ...]
    """The calls in this auction, clockwise from the Oya: a bid, or None for a pass."""
    buyer: Seat | None
    """The last buyer of this day."""
    open: Pieces
    piles: tuple[Pieces, ...]
    """The face-down cards of the days after this one."""
    active: tuple[Pieces, ...]
    inactive: tuple[Pieces, ...]


@dataclass(frozen=True, slots=True)
class View:
    """The view of one reader: everything but the faces of the later days' cards."""

    reader: Seat | None
    phase: Phase
    day: int
    auction: int
    oya: Seat
    turn: Seat
    calls: tuple[int | None, ...]
    buyer: Seat | None
    open: Pieces
    pile_sizes: tuple[int, ...]
    active: tuple[Pieces, ...]
    inactive: tuple[Pieces, ...]


def ask_at_table(view: View) -> Asked:
    """Return the seats for which the table waits when all act in turn."""
    return Asked.in_turn(view.turn, is_over=view.phase is Phase.OVER)


def leading_call(calls: tuple[int | None, ...]) -> int:
    """The place in `calls` of the highest bid, which is the last one; -1 before the first."""
    for place in range(len(calls) - 1, -1, -1):
        if calls[place] is not None:
            return place
    return -1


def leading_bid(calls: tuple[int | None, ...]) -> int:
    """The highest bid so far; -1 before the first, so that a bid of 0 beats it."""
    for call in reversed(calls):
        if call is not None:
            return call
    return -1


@dataclass(frozen=True, slots=True)
class Bid:
    """Offer an amount for a card of one's choice."""

    amount: int


@dataclass(frozen=True, slots=True)
class Pass:
    """Stay out of this auction."""


@dataclass(frozen=True, slots=True)
class Take:
    """Take an open card and pay one's bid with these pieces."""

    card: str
    pay: Pieces


@dataclass(frozen=True, slots=True)
class Invest:
    """Activate these cards and pay the sum of their costs with these pieces."""

    cards: Pieces
    pay: Pieces


@dataclass(frozen=True, slots=True)
class Keep:
    """Activate nothing today."""


Move: TypeAlias = Bid | Pass | Take | Invest | Keep
