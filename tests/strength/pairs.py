"""The pairs of computer players that are measured, and the share that each must reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from games.registry import OWN, game

BARS = (
    ("easy", "random", 0.85),
    ("normal", "easy", 0.60),
    ("normal", "policy", 0.60),
    ("hard", "normal", 0.60),
    ("hard", "frozen", 0.80),
)
"""Tested, reference, bar. `policy` is the quick player alone, `frozen` the normal bot before there were policies."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One tested player among references at a table of this size."""

    slug: str
    seats: int
    tested: str
    reference: str
    bar: float

    def with_more_simulations(self, times: int) -> Pair:
        """Give the tested player of the pair so many times the simulations."""
        return replace(self, tested=f"{self.tested}*{times}")


def list_pairs(slugs: Iterable[str] = tuple(OWN)) -> Iterator[Pair]:
    """Yield all pairs of these games, with the fewest and the most seats."""
    for slug in slugs:
        entry = game(slug)
        meta = entry.rules.meta
        for seats in (meta.min_seats, meta.max_seats):
            for tested, reference, bar in BARS:
                if reference != "policy" or entry.policy:
                    yield Pair(slug, seats, tested, reference, bar)


def list_equals(slugs: Iterable[str] = tuple(OWN), player: str = "easy") -> Iterator[Pair]:
    """Yield the matches among equals in which wins are counted by place: at three and four seats."""
    for slug in slugs:
        meta = game(slug).rules.meta
        for seats in (3, 4):
            if meta.min_seats <= seats <= meta.max_seats:
                yield Pair(slug, seats, player, player, 0.5)
