"""Gembatan's position, its view, and its three moves.

Codes are tiles (`RBR-`) and gems (`RB`); hands stand in ASCII order. A *point* is the middle of a tile's side in
half tiles, x growing east and y north: the side between the tiles at 0,0 and 1,0 is (1, 0). One of its numbers
is odd, and the next points on its two diagonals are (±1, ±1) away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from games.contract import Asked, Seat

Codes: TypeAlias = tuple[str, ...]
Cell: TypeAlias = tuple[int, int]
Point: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LaidTile:
    """A tile of the lay-out; `facing` is the side to which its first letter points."""

    cell: Cell
    code: str
    facing: str


@dataclass(frozen=True, slots=True)
class LaidGem:
    """A gem of the lay-out."""

    point: Point
    code: str


@dataclass(frozen=True)
class State:
    """The whole position."""

    turn: Seat
    """The seat to act; meaningless when the match is over."""
    is_over: bool
    tiles: tuple[LaidTile, ...]
    """The lay-out, in the order in which it was laid."""
    gems: tuple[LaidGem, ...]
    latest: tuple[int, int]
    """The numbers of tiles and gems at the end that belong to the latest play."""
    tile_hands: tuple[Codes, ...]
    gem_hands: tuple[Codes, ...]
    tile_tray: Codes
    """The face-down tiles, top first."""
    gem_tray: Codes
    points: tuple[int, ...]
    """The points that every seat has scored; gems in hand are not taken off yet."""
    idle: int
    """Turns in a row without a play."""


@dataclass(frozen=True, slots=True)
class View:
    """The view of one reader: everything but the order of the trays."""

    reader: Seat | None
    turn: Seat
    is_over: bool
    tiles: tuple[LaidTile, ...]
    gems: tuple[LaidGem, ...]
    latest: tuple[int, int]
    tile_hands: tuple[Codes, ...]
    gem_hands: tuple[Codes, ...]
    tiles_left: int
    gems_left: int
    points: tuple[int, ...]
    idle: int


@dataclass(frozen=True, slots=True)
class TileStep:
    """Lay a tile and put a gem into the socket that it makes on its `side`.

    `facing` is one of `components.FACINGS`.
    """

    tile: str
    cell: Cell
    facing: str
    gem: str
    side: str


@dataclass(frozen=True, slots=True)
class GemStep:
    """Put a gem into an empty socket."""

    gem: str
    point: Point


Steps: TypeAlias = tuple[TileStep | GemStep, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """A turn of one to four steps, in the order in which they are made."""

    steps: Steps


@dataclass(frozen=True, slots=True)
class Trade:
    """Exchange these pieces of one's hand."""

    gems: Codes
    tiles: Codes


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing, because nothing can be done."""


Move: TypeAlias = Play | Trade | Pass


def ask_at_table(view: View) -> Asked:
    """Return the seats for which the table waits."""
    return Asked.in_turn(view.turn, is_over=view.is_over)
