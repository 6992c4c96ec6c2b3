"""Gemessengers' components as data: whoever owns the box can correct this table without touching a rule.

Reconstruction: the patterns of pendant and scepter were only pictures in the rule sheet, and so were the
numbers of the proclamations and two of the seven suits (RULES.md, paragraphs 2 and 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Row(IntEnum):
    """A row of the guild and of every piece of jewelry, from the top."""

    HEADSTONE = 0
    DECORATION = 1
    BASE = 2


ROWS = tuple(Row)
ROW_NAMES = {Row.HEADSTONE: "headstone", Row.DECORATION: "decoration", Row.BASE: "base"}

SUIT_NAMES = {
    "A": "amethyst",
    "C": "citrine",
    "D": "diamond",
    "E": "emerald",
    "R": "ruby",
    "S": "sapphire",
    "T": "topaz",
}
SUITS = tuple(SUIT_NAMES)
"""In the order of the numbers on the proclamations, from 1."""

NUMBER = {suit: place for place, suit in enumerate(SUITS, start=1)}
PROCLAMATION = {suit: f"*{suit}" for suit in SUITS}
"""The code of a suit's proclamation; a gem's code is the letter of its suit."""

GEMS_PER_SUIT = 6
DECK = tuple(code for suit in SUITS for code in (*(suit,) * GEMS_PER_SUIT, PROCLAMATION[suit]))
ORDER = {code: place for place, code in enumerate((*SUITS, *PROCLAMATION.values()))}
"""Canonical order of cards in a hand: gems, then proclamations."""

HAND_SIZE = 6
WORKSHOP_SIZE = 6
TOKENS_PER_ROW = 3
PROCLAMATIONS_PER_ROW = 3
VALUES = {1: 4, 2: 3, 3: 2}
"""The value of a gem in the row of its own proclamation, by the number of proclamations in that row."""

PLAIN_VALUE = 1
"""The value of any other gem."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The piece crafted in one round: its pattern, and the direction in which hands are passed.

    `passes` is added to a seat to find the neighbour who receives its hand: 1 is left, -1 is right.
    """

    name: str
    capacities: tuple[int, int, int]
    passes: int


PIECES = (
    Piece("circlet", capacities=(1, 2, 3), passes=1),
    Piece("pendant", capacities=(2, 3, 1), passes=-1),
    Piece("scepter", capacities=(3, 1, 2), passes=1),
)
"""One piece for each round."""

ROUNDS = len(PIECES)
