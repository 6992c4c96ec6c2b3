"""Schedules of divisions: who plays whom, in which turn order, as evenly as can be.

>>> schedule = make_schedule(7, 4)
>>> schedule.fixtures[0], len(schedule.fixtures)
((0, 1, 2, 4), 7)
>>> schedule.balance.is_exact, schedule.balance.meetings, schedule.balance.places
(True, (2, 2), (1, 1))
>>> make_schedule(16, 4).balance.meetings
(0, 1)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

from gemserver.events.arithmetic.designs import DESIGNS

FEWEST_PLAYERS = 4
MOST_PLAYERS = 21
MOST_SEATS = 8
MOST_DOUBLE_ROUND = 6
"""A larger division of even size with two seats plays each pair once: a double round would be 14 fixtures or more."""

Fixture = tuple[int, ...]
"""Players, numbered from 0, in turn order."""


class Impossible(ValueError):
    """A schedule that cannot be: its sentence says what is wrong."""


@dataclass(frozen=True, slots=True)
class Balance:
    """The evenness of a schedule; each pair of numbers is the least and the most, equal where it is exact."""

    fixtures: tuple[int, int]
    """Fixtures of one player."""
    meetings: tuple[int, int]
    """Fixtures that two players share."""
    places: tuple[int, int]
    """Fixtures in which one player has one place in turn order."""

    @property
    def is_exact(self) -> bool:
        """True if every pair meets equally often and everybody has every place equally often."""
        return all(least == most for least, most in (self.fixtures, self.meetings, self.places))


@dataclass(frozen=True, slots=True)
class Schedule:
    """The fixtures of a division, all played at once."""

    players: int
    seats: int
    fixtures: tuple[Fixture, ...]

    @property
    def balance(self) -> Balance:
        return measure_balance(self.players, self.seats, self.fixtures)


@cache
def make_schedule(players: int, seats: int) -> Schedule:
    """The schedule of a division: 4 to 21 players at tables of 2 to 8; raises Impossible.

    More than two seats: 4 to 9 fixtures for each player, every place equally often. Pairs meet equally often where
    that is possible with so few, else as evenly as any schedule of this kind lets them. Two seats: everybody meets
    everybody once, twice in divisions of 4 and of 6; odd sizes and double rounds are exact.
    """
    check_size(players, seats)
    if seats == 2:
        return Schedule(players, seats, tuple(_round_robin(players)))
    group, blocks = DESIGNS[players, seats]
    return Schedule(players, seats, tuple(_develop(group, blocks)))


def check_size(players: int, seats: int) -> None:
    """Raise Impossible unless a division of so many players can play at tables of this size."""
    if not 2 <= seats <= MOST_SEATS:
        raise Impossible(f"a table has 2 to {MOST_SEATS} seats, not {seats}")
    if not max(FEWEST_PLAYERS, seats) <= players <= MOST_PLAYERS:
        raise Impossible(
            f"a division at tables of {seats} has {max(FEWEST_PLAYERS, seats)} to {MOST_PLAYERS} players, not {players}"
        )


def measure_balance(players: int, seats: int, fixtures: Sequence[Fixture]) -> Balance:
    """Count fixtures, meetings and places."""
    played = Counter(player for fixture in fixtures for player in fixture)
    met = Counter(pair for fixture in fixtures for pair in combinations(sorted(fixture), 2))
    placed = Counter((player, place) for fixture in fixtures for place, player in enumerate(fixture))
    everybody = range(players)
    return Balance(
        _extremes([played[player] for player in everybody]),
        _extremes([met[pair] for pair in combinations(everybody, 2)]),
        _extremes([placed[player, place] for player in everybody for place in range(seats)]),
    )


def _extremes(counts: Sequence[int]) -> tuple[int, int]:
    return min(counts), max(counts)


def _develop(group: Sequence[int], blocks: Sequence[Fixture]) -> list[Fixture]:
    """Add each element of the group to each base fixture: so everybody has each place once for every base fixture."""
    elements = list(product(*map(range, group)))
    number = {element: index for index, element in enumerate(elements)}

    def add(one: int, other: int) -> int:
        pairs = zip(elements[one], elements[other], group, strict=True)
        return number[tuple((a + b) % order for a, b, order in pairs)]

    return [tuple(add(seat, shift) for seat in block) for block in blocks for shift in range(len(elements))]


def _round_robin(players: int) -> list[Fixture]:
    """Everybody meets everybody, first as often as second; of an even number one is the centre of the circle."""
    circle = players - 1 + players % 2
    fixtures: list[Fixture] = [
        (one, (one + step) % circle) for step in range(1, circle // 2 + 1) for one in range(circle)
    ]
    if players % 2 == 0:
        centre = players - 1
        fixtures += [(one, centre) if one % 2 else (centre, one) for one in range(circle)]
        if players <= MOST_DOUBLE_ROUND:
            fixtures += [(second, first) for first, second in fixtures]
    return fixtures
