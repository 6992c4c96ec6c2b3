"""Lists the sets of cards that beat the leading total, the preferred one first (RULES.md, paragraphs 8 and 22)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import combinations, islice

from games.contract import Seat
from games.jewellers.state import Cards, Position, leading_total


def beating_sets(position: Position, seat: Seat) -> Iterator[Cards]:
    """The sets of cards in hand that would beat the leading total, lazily, lowest new total first.

    Of equal totals the fewest cards come first, then the lowest highest card, the lowest second highest …
    """
    needed = leading_total(position) - sum(position.table[seat])
    sets, totals = _list_sets(position.hands[seat])
    return islice(sets, bisect_right(totals, needed), None)


@cache
def _list_sets(hand: Cards) -> tuple[tuple[Cards, ...], tuple[int, ...]]:
    """Every set of these cards in that order, and the total of each. There are 512 hands."""
    chosen = [cards for size in range(1, len(hand) + 1) for cards in combinations(hand, size)]
    sets = tuple(sorted(chosen, key=lambda cards: (sum(cards), len(cards), cards[::-1])))
    return sets, tuple(map(sum, sets))


def cheapest_set(position: Position, seat: Seat, limit: int) -> Cards | None:
    """The first of `beating_sets`, unless it takes the seat's total above the limit."""
    cards = next(beating_sets(position, seat), None)
    if cards is None or sum(position.table[seat]) + sum(cards) > limit:
        return None
    return cards
