"""Ratings: places of finished matches in, what is believed of each player's strength out.

The server and `python -m games ratings` compute with this module alone, so that anybody gets the server's figures from
its list of results. Strength is believed to lie about `mu`, with a standard deviation of `sigma`; matches of any number
of seats, and shared places, are judged by the Plackett-Luce model of openskill (Weng and Lin, 2011) with that
library's own constants. People are shown whole numbers: `number`, plus or minus `margin`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

Player = TypeVar("Player", bound=Hashable)

POINTS = 24
"""Points of the shown number for 1 of `mu`: a newcomer's 25 ± 8.33 reads 1500 ± 200."""
SETTLED = 7.0
"""A rating is provisional until its `sigma` has fallen below this bound (docs/decisions/ratings.md)."""


@dataclass(frozen=True, slots=True)
class Belief:
    """A belief about a player's strength: its mean and standard deviation."""

    mu: float
    sigma: float

    @property
    def number(self) -> int:
        """The rating as people read it."""
        return round(1500 + POINTS * (self.mu - 25))

    @property
    def margin(self) -> int:
        """Its uncertainty, in the same points: one standard deviation."""
        return round(POINTS * self.sigma)

    @property
    def is_provisional(self) -> bool:
        """True while too little is known to compare the player with others."""
        return self.sigma >= SETTLED


NEWCOMER = Belief(25.0, 25.0 / 3.0)
"""The belief about somebody who has played no rated match."""


def rate(before: Sequence[Belief], places: Sequence[int]) -> list[Belief]:
    """Return what is believed after a match in which these players took these places (1 is best, shared ones alike)."""
    if len(before) < 2:
        raise ValueError("a match has two players at least")
    model = plackett_luce()
    teams = [[model.rating(mu=belief.mu, sigma=belief.sigma)] for belief in before]
    rated = model.rate(teams, ranks=[float(place) for place in places])
    return [Belief(team[0].mu, team[0].sigma) for team in rated]


def expect(table: Sequence[Belief], one: int, other: int) -> float:
    """Return the chance that the player with the first number at this table comes before the one with the second."""
    beta = plackett_luce().beta
    spread = math.sqrt(math.fsum(belief.sigma**2 + beta**2 for belief in table))
    return 1 / (1 + math.exp((table[other].mu - table[one].mu) / spread))


@dataclass(frozen=True, slots=True)
class Result(Generic[Player]):
    """The result of one player in a match: the place, and the absence in which they lost it, if so."""

    player: Player
    place: int
    absence: str = ""
    """Names the time in which the player did nothing anywhere; the same for all matches lost in it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change that a match made to one player's rating."""

    before: Belief
    after: Belief
    is_spared: bool
    """True if the match would have lowered the rating, but another of the same absence had done so before."""


@dataclass
class Board(Generic[Player]):
    """The ratings of all players of one game, after a series of matches."""

    beliefs: dict[Player, Belief] = field(default_factory=dict)
    absences: set[tuple[Player, str]] = field(default_factory=set)
    """The absences that have lowered their player's rating."""

    def add(self, results: Sequence[Result[Player]]) -> list[Change]:
        """Rate the next match, and return its changes in the order of `results`.

        A player's absence lowers the rating once, by the first of its matches that is rated; for the others players the
        later ones count like any match.
        """
        before = [self.beliefs.get(result.player, NEWCOMER) for result in results]
        after = rate(before, [result.place for result in results])
        return [self._change(*row) for row in zip(results, before, after, strict=True)]

    def _change(self, result: Result[Player], before: Belief, after: Belief) -> Change:
        is_spared = False
        if result.absence and after.mu < before.mu:
            absence = (result.player, result.absence)
            is_spared = absence in self.absences
            self.absences.add(absence)
        if is_spared:
            after = before
        self.beliefs[result.player] = after
        return Change(before, after, is_spared)


@cache
def plackett_luce() -> PlackettLuce:
    """The model of the library, with its own constants. Raises ImportError if that is not installed."""
    # Imported here because it is an extra of the distribution: the rules need nothing but Python.
    try:
        from openskill.models import PlackettLuce
    except ImportError as error:
        raise ImportError(
            f"games.ratings needs {error.name}; install it with: pip install 'gemgames[ratings]'",
            name=error.name,
        ) from error
    return PlackettLuce()
