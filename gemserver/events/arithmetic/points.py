"""Table points of a fixture by rank; shared ranks share the points of their places, exactly.

>>> [str(points) for points in table_points((1, 2, 2, 4))]
['10', '9/2', '9/2', '1']
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

POINTS = {
    2: (1, 0),
    3: (6, 3, 1),
    4: (10, 6, 3, 1),
    5: (15, 10, 6, 3, 1),
    6: (21, 15, 10, 6, 3, 1),
    7: (28, 21, 15, 10, 6, 3, 1),
    8: (36, 28, 21, 15, 10, 6, 3, 1),
}
"""Points by number of seats and place. Four seats: as the Boardgame Players Association gives them; the others go on in
the same way, each place being worth one step more than the one below it. Two seats: as in chess."""

COMMON_MULTIPLE = lcm(*range(1, 9))
"""Points times this are whole numbers, however many share a rank: 840."""


def table_points(ranks: Sequence[int], payoffs: Sequence[int] | None = None) -> tuple[Fraction, ...]:
    """The points of each seat for these ranks (1 is best, equal seats share: 1 2 2 4).

    `payoffs`: points by place, if not those of POINTS. What is given away is the same sum whoever shares.
    """
    payoffs = POINTS[len(ranks)] if payoffs is None else payoffs
    return tuple(share_of_places(rank, ranks.count(rank), payoffs) for rank in ranks)


def first_places(ranks: Sequence[int]) -> tuple[Fraction, ...]:
    """One first place for each fixture; those who share it have a share each."""
    return table_points(ranks, (1, *(0 for _ in ranks[1:])))


def share_of_places(rank: int, count: int, payoffs: Sequence[int]) -> Fraction:
    """The share of one of `count` seats in the places that they fill together by sharing a rank."""
    return Fraction(sum(payoffs[rank - 1 : rank - 1 + count]), count)
