"""Payments: sums, those without a superfluous piece, the cheapest one (RULES.md, paragraphs 13 and 14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from games.chance import Chance
from games.gem.components import COINS, COST, ORDER, VALUE
from games.gem.state import Pieces


def worth(pieces: Iterable[str]) -> int:
    """The sum that these pieces pay together."""
    return sum([VALUE[piece] for piece in pieces])


def total_cost(cards: Iterable[str]) -> int:
    """The cost of activating these cards together."""
    return sum([COST[card] for card in cards])


def jewel_cards(pieces: Pieces) -> Pieces:
    """The pieces without the coins."""
    return tuple([piece for piece in pieces if piece in COST])


def sort_pieces(pieces: Iterable[str]) -> Pieces:
    """The pieces in canonical order."""
    return tuple(sorted(pieces, key=ORDER.__getitem__))


def is_superfluous(paid: Pieces, cost: int) -> bool:
    """Return whether a sufficient payment would still be sufficient without one of its pieces."""
    return bool(paid) and worth(paid) - min([VALUE[piece] for piece in paid]) >= cost


def payments(pieces: Pieces, cost: int, start: Pieces = ()) -> Iterator[Pieces]:
    """Yield every payment without a superfluous piece, lazily, in canonical order.

    `pieces` and `start` stand in canonical order; with `start`, only payments that begin with it.
    """
    if not is_superfluous(start, cost):
        later = [piece for piece in pieces if not start or ORDER[piece] > ORDER[start[-1]]]
        yield from _extend(start, worth(start), later, worth(later), cost)


def _extend(chosen: Pieces, total: int, later: list[str], reserve: int, cost: int) -> Iterator[Pieces]:
    if total >= cost:
        yield chosen
        return
    for place, piece in enumerate(later):
        if total + reserve < cost:
            return
        value = VALUE[piece]
        reserve -= value
        longer = (*chosen, piece)
        if not is_superfluous(longer, cost):
            yield from _extend(longer, total + value, later[place + 1 :], reserve, cost)


def rate_payment(paid: Pieces) -> tuple[int, int, int, list[int]]:
    """A key by which sufficient payments are sorted: the worth, then as in `cheapest_payment`.

    >>> sorted([("1", "2"), ("2", "3"), ("3",)], key=rate_payment)
    [('3',), ('1', '2'), ('2', '3')]
    """
    return worth(paid), len(paid), len(jewel_cards(paid)), [ORDER[piece] for piece in paid]


def cheapest_payment(pieces: Pieces, cost: int) -> Pieces:
    """The payment with least overpayment, then fewest pieces, fewest jewel cards, canonical order.

    The pieces must be worth the cost. The best way to reach every total is kept, so that the work grows with
    the number of pieces times their worth and not with the number of payments.
    """
    best: dict[int, tuple[int, int, tuple[int, ...], Pieces]] = {0: (0, 0, (), ())}
    for piece in pieces:
        jewels = 0 if piece in COINS else 1
        for total, (size, cards, places, chosen) in sorted(best.items(), reverse=True):
            longer = (size + 1, cards + jewels, (*places, ORDER[piece]), (*chosen, piece))
            reached = total + VALUE[piece]
            if reached not in best or longer < best[reached]:
                best[reached] = longer
    return best[min(total for total in best if total >= cost)][-1]


def random_payment(pieces: Pieces, cost: int, chance: Chance) -> Pieces:
    """Any payment without a superfluous piece; each one is possible."""
    order = list(pieces)
    chance.shuffle(order)
    paid: list[str] = []
    total = 0
    for piece in order:
        if total >= cost:
            break
        paid.append(piece)
        total += VALUE[piece]
    for piece in tuple(paid):
        if total - VALUE[piece] >= cost:
            paid.remove(piece)
            total -= VALUE[piece]
    return sort_pieces(paid)
