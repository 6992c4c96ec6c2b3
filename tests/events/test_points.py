"""Points of a fixture by rank, and what sharing does to them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from gemserver.events.arithmetic.points import COMMON_MULTIPLE, POINTS, first_places, table_points


def test_four_seats_have_ten_six_three_and_one() -> None:
    assert table_points((2, 1, 4, 3)) == (6, 10, 1, 3)


def test_those_who_share_a_rank_share_the_points_of_its_places() -> None:
    assert table_points((1, 1, 3, 4)) == (8, 8, 3, 1)
    assert table_points((1, 2, 2, 2)) == (10, Fraction(10, 3), Fraction(10, 3), Fraction(10, 3))
    assert table_points((1, 1)) == (Fraction(1, 2), Fraction(1, 2))


def test_a_shared_first_place_is_a_share_of_one() -> None:
    assert first_places((1, 1, 3)) == (Fraction(1, 2), Fraction(1, 2), 0)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_fixture_gives_the_same_sum_away_whoever_shares(seats: int) -> None:
    for ranks in product(range(1, seats + 1), repeat=seats):
        if all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks):
            points = table_points(ranks)
            assert sum(points) == sum(POINTS[seats])
            assert all((COMMON_MULTIPLE * one).denominator == 1 for one in points)


@pytest.mark.parametrize("seats", range(2, 9))
def test_a_better_place_is_worth_more_and_the_step_grows_towards_the_top(seats: int) -> None:
    steps = [better - worse for better, worse in zip(POINTS[seats], POINTS[seats][1:], strict=False)]
    assert min(steps) > 0
    assert steps == sorted(steps, reverse=True)
