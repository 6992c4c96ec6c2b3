"""Divides the players of a season into divisions, and says who moves up and down after it.

>>> divide(20, seats=4, wanted=7)
[6, 7, 7]
>>> moves([7, 13], exchanged=2)
[(0, 2), (2, 0)]
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from gemserver.events.arithmetic.schedules import FEWEST_PLAYERS, MOST_PLAYERS, make_schedule

UNEVEN = 4
"""A division with an uneven schedule is as undesirable as one that is two players off the size wanted."""


def fewest_players(seats: int) -> int:
    """The least number of players with which a season can begin."""
    return max(FEWEST_PLAYERS, seats)


def divide(players: int, *, seats: int, wanted: int) -> list[int]:
    """The sizes of the divisions, the highest first: each near `wanted`, with an even schedule where that is near too.

    Raises ValueError for fewer players than play a division.
    """
    if players < fewest_players(seats):
        raise ValueError(f"{players} players are too few")

    @cache
    def best(left: int) -> tuple[int, tuple[int, ...]] | None:
        if left == 0:
            return 0, ()
        found = []
        for size in range(fewest_players(seats), min(left, MOST_PLAYERS) + 1):
            rest = best(left - size)
            if rest is not None and (not rest[1] or size <= rest[1][0]):
                found.append((rest[0] + _cost(size, seats, wanted), (size, *rest[1])))
        return min(found, default=None)

    # Sums of sizes are found from the smallest up, so that no call goes deep.
    for count in range(players):
        best(count)
    solution = best(players)
    if solution is None:
        raise ValueError(f"{players} players cannot be divided for tables of {seats}")
    return list(solution[1])


def moves(sizes: Sequence[int], exchanged: int) -> list[tuple[int, int]]:
    """The numbers that go up and down from each division; as many come down to one as go up from it.

    Never more than half of the smaller of two neighbours.
    """
    across = [min(exchanged, upper // 2, lower // 2) for upper, lower in pairwise(sizes)]
    return list(zip([0, *across], [*across, 0], strict=True))


def _cost(size: int, seats: int, wanted: int) -> int:
    is_even = make_schedule(size, seats).balance.is_exact
    return (size - wanted) ** 2 + (0 if is_even else UNEVEN)
