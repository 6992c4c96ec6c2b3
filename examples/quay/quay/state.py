"""Quay's position, its view and its two moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from games.contract import Seat

GOODS = ("tea", "silk", "pepper", "salt")
EACH = 7
"""Goods of each kind in the bag."""
CARDS = tuple(range(1, 41))
ROUNDS = 5
"""Also the cards of a hand."""
SIDE = 6
FIELDS = tuple(f"{column}{row}" for row in range(1, SIDE + 1) for column in "abcdef")
WATER = "water"
"""Lies on a field on which nothing can be put."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Lay a card of the hand face down."""

    card: int


@dataclass(frozen=True, slots=True)
class Load:
    """Take a good from the market and put it on the quay."""

    good: str
    field: str


Move: TypeAlias = Offer | Load


@dataclass(frozen=True, slots=True)
class State:
    """The whole position. A card that lies face down stays in its hand until all are shown."""

    round: int
    """From 1; `ROUNDS` + 1 when the match is over."""
    hands: tuple[tuple[int, ...], ...]
    unused: tuple[int, ...]
    """The cards that nobody holds, as they were dealt."""
    bag: tuple[str, ...]
    """The goods to come, the next one first."""
    market: tuple[str, ...]
    picks: tuple[int | None, ...]
    shown: tuple[int | None, ...]
    """The cards that were shown last."""
    order: tuple[Seat, ...]
    """The seats that are still to load; empty while cards are laid."""
    quay: tuple[str, ...]
    """The load on each of the `FIELDS`; empty where it is free."""
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class View:
    """The position as one reader may know it."""

    reader: Seat | None
    round: int
    hand: tuple[int, ...]
    pick: int | None
    market: tuple[str, ...]
    shown: tuple[int | None, ...]
    order: tuple[Seat, ...]
    quay: tuple[str, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    waiting: tuple[Seat, ...]


def list_neighbours(place: int) -> Iterator[int]:
    """The fields beside this one, as places in `FIELDS`."""
    x, y = place % SIDE, place // SIDE
    for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        if 0 <= x + across < SIDE and 0 <= y + down < SIDE:
            yield place + across + down * SIDE


def count_points(quay: Sequence[str], good: str, place: int) -> int:
    """The points that the good brings there (paragraph 5)."""
    return 1 + sum(quay[beside] == good for beside in list_neighbours(place))
