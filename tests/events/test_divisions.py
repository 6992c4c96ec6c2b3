"""Divisions: everybody is in one, sizes allow schedules, and promotion and relegation add up."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gemserver.events.arithmetic.divisions import divide, fewest_players, moves


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("players", [4, 5, 8, 11, 14, 20, 21, 22, 37, 64, 100])
def test_everybody_is_in_a_division_of_four_to_twenty_one(players: int, seats: int) -> None:
    if players < fewest_players(seats):
        with pytest.raises(ValueError, match="too few"):
            divide(players, seats=seats, wanted=7)
        return
    sizes = divide(players, seats=seats, wanted=7)
    assert sum(sizes) == players
    assert all(max(4, seats) <= size <= 21 for size in sizes)
    assert sizes == sorted(sizes)


def test_sizes_with_an_exact_schedule_are_preferred() -> None:
    assert divide(14, seats=4, wanted=7) == [7, 7]
    assert divide(28, seats=4, wanted=7) == [7, 7, 7, 7]
    assert divide(8, seats=4, wanted=7) == [8]
    assert divide(26, seats=4, wanted=13) == [13, 13]


def test_as_many_go_up_as_come_down_between_each_two_divisions() -> None:
    for sizes in ([7, 7, 13], [4, 4], [5, 21, 21], [7]):
        found = moves(sizes, exchanged=3)
        assert found[0][0] == 0
        assert found[-1][1] == 0
        for upper, lower in pairwise(found):
            assert upper[1] == lower[0]
        assert all(up + down <= size for (up, down), size in zip(found, sizes, strict=True))
