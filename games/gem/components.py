"""GEM's components as data: whoever owns the box can correct this table without touching a rule.

Reconstruction: the faces of the 18 jewel cards and their two numbers were only pictures in the rule sheet.
Certain are six jewels of each of five kinds, three diamonds, and one or two jewels on a card (RULES.md,
paragraph 2).
"""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("S", "R", "E", "A", "T", "D")
KIND_NAMES = {
    "S": "sapphire",
    "R": "ruby",
    "E": "emerald",
    "A": "amethyst",
    "T": "topaz",
    "D": "diamond",
}


@dataclass(frozen=True, slots=True)
class JewelCard:
    """One jewel card: `jewels` are letters of `KINDS`; it pays `value`, activating it costs `cost`."""

    code: str
    jewels: str
    value: int
    cost: int


CARDS = (
    JewelCard("SR", "SR", value=1, cost=1),
    JewelCard("RE", "RE", value=1, cost=1),
    JewelCard("EA", "EA", value=1, cost=1),
    JewelCard("AT", "AT", value=1, cost=1),
    JewelCard("TS", "TS", value=1, cost=1),
    JewelCard("D1", "D", value=1, cost=1),
    JewelCard("SE", "SE", value=2, cost=2),
    JewelCard("ET", "ET", value=2, cost=2),
    JewelCard("TR", "TR", value=2, cost=2),
    JewelCard("RA", "RA", value=2, cost=2),
    JewelCard("AS", "AS", value=2, cost=2),
    JewelCard("D2", "D", value=2, cost=2),
    JewelCard("SS", "SS", value=3, cost=3),
    JewelCard("RR", "RR", value=3, cost=3),
    JewelCard("EE", "EE", value=3, cost=3),
    JewelCard("AA", "AA", value=3, cost=3),
    JewelCard("TT", "TT", value=3, cost=3),
    JewelCard("D3", "D", value=3, cost=3),
)
COINS = ("1", "2", "3")
"""Every seat owns one coin of each of these values; a coin's code is its value."""

PILE_SIZES = {
    2: (4, 3, 3, 3, 3, 2),
    3: (3, 3, 3, 3, 3, 3),
    4: (4, 3, 3, 3, 3, 2),
}
"""Cards in each day's pile by number of seats."""

DAYS = 6
MAJORITY = 3
SHARED_MAJORITY = 2

CARD_CODES = tuple(card.code for card in CARDS)
JEWELS = {card.code: card.jewels for card in CARDS}
COST = {card.code: card.cost for card in CARDS}
VALUE = {coin: int(coin) for coin in COINS} | {card.code: card.value for card in CARDS}
ORDER = {code: place for place, code in enumerate(COINS + CARD_CODES)}
"""Canonical order of pieces: coins, then cards as they stand in the table."""
