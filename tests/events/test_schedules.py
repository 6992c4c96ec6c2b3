"""Schedules: exact where a design exists, and how even the others are, counted fixture by fixture."""

from __future__ import annotations

import pytest

from gemserver.events.arithmetic.designs import DESIGNS
from gemserver.events.arithmetic.schedules import Balance, Impossible, make_schedule
from gemserver.events.words import say_balance
from tests.events import find_designs


@pytest.mark.parametrize(
    ("players", "seats", "fixtures", "meetings", "places"),
    [
        (7, 4, 4, 2, 1),
        (7, 3, 6, 2, 2),
        (13, 4, 4, 1, 1),
        (21, 5, 5, 1, 1),
        (13, 3, 6, 1, 2),
        (19, 3, 9, 1, 3),
        (9, 4, 8, 3, 2),
        (11, 5, 5, 2, 1),
        (11, 6, 6, 3, 1),
        (16, 6, 6, 2, 1),
        (15, 7, 7, 3, 1),
        (15, 8, 8, 4, 1),
        (9, 8, 8, 7, 1),
        (4, 3, 6, 4, 2),
        (5, 4, 4, 3, 1),
        (5, 5, 5, 5, 1),
        (4, 2, 6, 2, 3),
        (6, 2, 10, 2, 5),
        (7, 2, 6, 1, 3),
        (21, 2, 20, 1, 10),
    ],
)
def test_where_a_design_exists_pairs_and_places_are_exactly_equal(
    players: int, seats: int, fixtures: int, meetings: int, places: int
) -> None:
    schedule = make_schedule(players, seats)
    for one in range(players):
        assert sum(one in fixture for fixture in schedule.fixtures) == fixtures
        for place in range(seats):
            assert sum(fixture[place] == one for fixture in schedule.fixtures) == places
        for other in range(one):
            assert sum(one in fixture and other in fixture for fixture in schedule.fixtures) == meetings
    assert schedule.balance.is_exact


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("players", range(4, 22))
def test_every_size_has_a_schedule_that_says_how_even_it_is(players: int, seats: int) -> None:
    if players < seats:
        with pytest.raises(Impossible):
            make_schedule(players, seats)
        return
    balance = make_schedule(players, seats).balance
    assert balance.fixtures[0] == balance.fixtures[1]
    assert seats == 2 or 4 <= balance.fixtures[0] <= 9
    assert balance.meetings[1] - balance.meetings[0] <= 2
    if seats > 2:
        assert balance.places[0] == balance.places[1]
    else:
        assert balance.places[1] - balance.places[0] <= (players % 2 == 0)


def test_of_all_schedules_made_from_base_fixtures_only_four_are_two_meetings_apart() -> None:
    apart = [
        (players, seats)
        for players, seats in DESIGNS
        if (meetings := make_schedule(players, seats).balance.meetings)[1] - meetings[0] > 1
    ]
    assert apart == [(20, 5), (17, 6), (14, 7), (20, 8)]


@pytest.mark.parametrize(("players", "seats"), [(7, 3), (9, 3), (13, 3), (7, 4), (9, 4), (11, 5), (16, 6)])
def test_the_stored_designs_are_what_the_search_finds(players: int, seats: int) -> None:
    assert find_designs.find(players, seats) == DESIGNS[players, seats]


@pytest.mark.slow
@pytest.mark.parametrize(("players", "seats"), sorted(DESIGNS))
def test_all_stored_designs_are_what_the_search_finds(players: int, seats: int) -> None:
    assert find_designs.find(players, seats) == DESIGNS[players, seats]


def test_nobody_meets_the_same_table_twice_where_designs_leave_a_choice() -> None:
    fixtures = make_schedule(7, 3).fixtures
    assert len({frozenset(fixture) for fixture in fixtures}) == len(fixtures)


def test_a_number_that_is_the_same_for_all_is_told_once() -> None:
    said = say_balance(Balance(fixtures=(6, 6), meetings=(2, 3), places=(2, 2)))
    assert "Two players meet 2–3×, and everybody has every place in the turn order 2×:" in said
