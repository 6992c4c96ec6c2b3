"""Lists the sets of cards that beat the leading total, the preferred one first (RULES.md, paragraphs 8 and 22)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from games.contract import Seat
from games.jewellers.components import CARD_SETS
from games.jewellers.state import Cards, Position, leading_total

_TOTALS = tuple(sum(cards) for cards in CARD_SETS)


def beating_sets(position: Position, seat: Seat) -> Iterator[Cards]:
    """The sets of cards in hand that would beat the leading total, lazily, lowest new total first.

    Of equal totals the fewest cards come first, then the lowest highest card, the lowest second highest …
    """
    hand = position.hands[seat]
    needed = leading_total(position) - sum(position.table[seat])
    if sum(hand) > needed:
        holds_all = frozenset(hand).issuperset
        for cards in CARD_SETS[bisect_right(_TOTALS, needed) :]:
            if holds_all(cards):
                yield cards


def cheapest_set(position: Position, seat: Seat, limit: int) -> Cards | None:
    """The first of `beating_sets`, unless it takes the seat's total above the limit."""
    cards = next(beating_sets(position, seat), None)
    if cards is None or sum(position.table[seat]) + sum(cards) > limit:
        return None
    return cards
