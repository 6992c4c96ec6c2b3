"""The bounds of standings against all results that are possible, tried one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import pytest

from gemserver.events.arithmetic.bounds import find_bounds
from gemserver.events.arithmetic.points import COMMON_MULTIPLE, first_places, table_points
from gemserver.events.arithmetic.schedules import make_schedule
from tests.quick import first, size, some


def all_ranks(seats: int) -> list[tuple[int, ...]]:
    """All results of a fixture, shared ranks included."""
    return [
        ranks
        for ranks in product(range(1, seats + 1), repeat=seats)
        if all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
    ]


RANKS = {seats: all_ranks(seats) for seats in (2, 3, 4)}


def value(seats: int, ranks: tuple[int, ...]) -> list[tuple[int, int]]:
    """Points and first places of each seat, in whole numbers."""
    return [
        (int(points * COMMON_MULTIPLE), int(firsts * COMMON_MULTIPLE))
        for points, firsts in zip(table_points(ranks), first_places(ranks), strict=True)
    ]


VALUES = {seats: [value(seats, ranks) for ranks in RANKS[seats]] for seats in RANKS}
Decided = tuple[tuple[int, ...], list[tuple[int, int]]]


def every_end(
    players: int, decided: Sequence[Decided], left: Sequence[tuple[int, ...]]
) -> Iterator[list[tuple[int, int]]]:
    """Points and first places of everybody, for all results of the fixtures that are left."""
    start = [(0, 0)] * players
    for seats, values in decided:
        add(start, seats, values)
    for results in product(*(VALUES[len(seats)] for seats in left)):
        total = list(start)
        for seats, values in zip(left, results, strict=True):
            add(total, seats, values)
        yield total


def add(total: list[tuple[int, int]], seats: Sequence[int], values: Sequence[tuple[int, int]]) -> None:
    for seat, (points, firsts) in zip(seats, values, strict=True):
        total[seat] = total[seat][0] + points, total[seat][1] + firsts


def random_division(rng: random.Random) -> tuple[int, list[Decided], list[tuple[int, ...]]]:
    """Players, decided fixtures with ranks, and open ones whose results can all be tried."""
    seats = rng.choice([2, 3, 3, 4])
    players = rng.randint(max(4, seats), 7)
    fixtures = list(make_schedule(players, seats).fixtures)
    rng.shuffle(fixtures)
    most = {2: 5, 3: 3, 4: 2}[seats]
    open_count = rng.randint(0, most)
    left, done = fixtures[:open_count], fixtures[open_count:]
    done = done[: rng.randint(0, len(done))]
    return players, [(one, rng.choice(VALUES[seats])) for one in done], left


def compare(rng: random.Random, *, with_firsts: bool) -> None:
    players, decided, left = random_division(rng)
    best, worst = [players] * players, [1] * players
    for total in every_end(players, decided, left):
        keys = total if with_firsts else [(points, 0) for points, _ in total]
        for one in range(players):
            others = [keys[other] for other in range(players) if other != one]
            best[one] = min(best[one], 1 + sum(key > keys[one] for key in others))
            worst[one] = max(worst[one], 1 + sum(key >= keys[one] for key in others))
    (now,) = every_end(players, decided, [])
    bounds = find_bounds(
        {one: Fraction(now[one][0], COMMON_MULTIPLE) for one in range(players)},
        left,
        firsts={one: Fraction(now[one][1], COMMON_MULTIPLE) for one in range(players)}
        if with_firsts
        else None,
        steps=100_000,
    )
    for one in range(players):
        assert (bounds[one].best, bounds[one].worst) == (best[one], worst[one]), (decided, left, one)
        assert bounds[one].is_exact


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_bounds_are_what_trying_all_results_gives(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(2):
        compare(rng, with_firsts=rng.random() < 0.7)


@pytest.mark.parametrize("seed", [1065, 1139, 1507, 2149, 2184, 2445])
def test_bounds_are_right_where_adding_the_nearest_players_first_finds_too_few(seed: int) -> None:
    compare(random.Random(seed), with_firsts=True)


def season_of_twenty(seed: int) -> tuple[dict[int, Fraction], dict[int, Fraction], list[tuple[int, ...]]]:
    """Points and first places half-way through a season of 20 in fours, and the open fixtures."""
    rng = random.Random(seed)
    fixtures = list(make_schedule(20, 4).fixtures)
    rng.shuffle(fixtures)
    points = dict.fromkeys(range(20), Fraction(0))
    firsts = dict(points)
    for fixture in fixtures[10:]:
        ranks = rng.choice(RANKS[4])
        for player, gained, won in zip(fixture, table_points(ranks), first_places(ranks), strict=True):
            points[player] += gained
            firsts[player] += won
    return points, firsts, fixtures[:10]


@pytest.mark.slow
@pytest.mark.parametrize("seed", first(1, some(range(5), 2)))
def test_bounds_of_a_large_division_hold_in_random_ends(seed: int) -> None:
    """Too many ends to try them all: none of a thousand leaves the bounds, also those that are not exact."""
    points, firsts, left = season_of_twenty(seed)
    bounds = find_bounds(points, left, firsts=firsts)
    assert any(bound.is_exact for bound in bounds.values())
    rng = random.Random(seed)
    for _ in range(1000):
        end = {player: (points[player], firsts[player]) for player in points}
        for fixture in left:
            order = sorted(
                fixture, key=lambda player: (rng.random() < 0.3, points[player] * rng.choice([-1, 1]))
            )
            for player, gained in zip(order, (10, 6, 3, 1), strict=True):
                end[player] = end[player][0] + gained, end[player][1] + (gained == 10)
        for player, value in end.items():
            others = [other for one, other in end.items() if one != player]
            assert bounds[player].best <= 1 + sum(other > value for other in others)
            assert bounds[player].worst >= 1 + sum(other >= value for other in others)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(1000, 1030), 3))
def test_bounds_are_what_trying_all_results_gives_in_many_divisions(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(size(25, 100)):
        compare(rng, with_firsts=rng.random() < 0.7)
