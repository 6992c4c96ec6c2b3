"""Jewellers' count: gems, cards in hand, combinations, silver, ties (RULES.md, paragraphs 18 to 20)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.contract import rank_seats
from games.jewellers.components import ALL_SILVER, COMBINATIONS, GEM_VALUE, SILVER_POINTS
from games.jewellers.state import Position


@dataclass(frozen=True, slots=True)
class Tally:
    """The things of one seat that count."""

    gems: tuple[str, ...]
    """Gems, in the order in which they were bought."""
    cards: int
    """The number of cards in hand, with those put down in a running auction."""
    silver: tuple[int, ...]
    """The silver pieces, each by its place in `SILVER_POINTS`."""

    def plain_points(self) -> int:
        """The points without any bonus."""
        return sum([GEM_VALUE[gem] for gem in self.gems]) + self.cards

    def combinations(self) -> Sequence[tuple[tuple[str, ...], int]]:
        """The combinations complete so far, each with its points."""
        return [(gems, points) for gems, points in COMBINATIONS if set(gems).issubset(self.gems)]

    def silver_points(self) -> int:
        """The points for silver pieces, with the extra for having all of them."""
        points = sum([SILVER_POINTS[piece] for piece in self.silver])
        return points + ALL_SILVER if len(self.silver) == len(SILVER_POINTS) else points

    def score(self) -> int:
        """All points."""
        bonus = sum([points for _, points in self.combinations()])
        return self.plain_points() + bonus + self.silver_points()


def tally_seats(position: Position) -> tuple[Tally, ...]:
    """Every seat's gems, cards and silver."""
    return tuple(
        Tally(
            gems=tuple([sale.gem for sale in position.sales if sale.buyer == seat]),
            cards=len(hand) + len(table),
            silver=tuple([piece for piece, owner in enumerate(position.silver) if owner == seat]),
        )
        for seat, (hand, table) in enumerate(zip(position.hands, position.table, strict=True))
    )


def score_seats_now(position: Position) -> tuple[int, ...]:
    """The score of every seat if the match ended now."""
    return tuple(tally.score() for tally in tally_seats(position))


def rank_seats_now(position: Position) -> tuple[int, ...]:
    """The rank of every seat if the match ended now.

    Ties: more points without bonuses, more gems, more cards, the older player when ages are known, then shared.
    """
    ages = position.ages or (0,) * len(position.hands)
    return rank_seats(
        [
            (tally.score(), tally.plain_points(), len(tally.gems), tally.cards, age)
            for tally, age in zip(tally_seats(position), ages, strict=True)
        ]
    )
