"""Pages of a game beside its rules: how it goes, and who plays it best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator

from games.contract import GameMeta
from gemserver.lib.web.sent_number import read_number
from gemserver.ratings import selectors
from gemserver.ratings.models import Rating
from gemserver.ratings.statistics import GameStatistics, Share, seats_played, usual_seats

PER_PAGE = 50
MOST_SHOWN = 5


def quarter_of(now: datetime) -> tuple[int, int]:
    """The year and the quarter, from 1, of an instant.

    >>> quarter_of(datetime(2026, 11, 23))
    (2026, 4)
    """
    return now.year, (now.month + 2) // 3


@dataclass(frozen=True, slots=True)
class Bar:
    """The share of a place as a bar of 100: its mean, its bounds, and the fair share."""

    low: float
    width: float
    mean: float
    fair: float


@dataclass(frozen=True, slots=True)
class PlaceShown:
    """A place in turn order with its bar."""

    place: int
    share: Share
    bar: Bar


@dataclass(frozen=True)
class GamePage:
    """How a game goes with one number of seats, and its best players."""

    meta: GameMeta
    given: Mapping[str, Any]

    @cached_property
    def played(self) -> dict[int, int]:
        """How many matches were played out with each number of seats that the game has."""
        played = seats_played(self.meta.slug)
        return {n: played.get(n, 0) for n in range(self.meta.min_seats, self.meta.max_seats + 1)}

    @cached_property
    def statistics(self) -> GameStatistics:
        seats = read_number(self.given.get("seats", ""))
        return GameStatistics(self.meta.slug, seats if seats in self.played else usual_seats(self.meta.slug))

    @cached_property
    def fair_percent(self) -> float:
        """The share of matches that each place would win if all were as good."""
        return 100 / self.statistics.seats

    @property
    def places(self) -> list[PlaceShown]:
        """The places in turn order, their bars on one scale; empty where all decide at once."""
        lines = self.statistics.places
        whole = max([2 * self.fair_percent, *(line.share.high for line in lines)]) / 100
        return [
            PlaceShown(
                line.place,
                line.share,
                Bar(
                    low=round(line.share.low / whole, 2),
                    width=round((line.share.high - line.share.low) / whole, 2),
                    mean=round(line.share.percent / whole, 2),
                    fair=round(self.fair_percent / whole, 2),
                ),
            )
            for line in lines
        ]

    @cached_property
    def best(self) -> list[Rating]:
        return list(selectors.leaderboard(self.meta.slug)[:MOST_SHOWN])


@dataclass(frozen=True)
class LeaderboardPage:
    """The players of a game whose rating is settled, the best first."""

    meta: GameMeta
    given: Mapping[str, Any]
    now: datetime

    @property
    def is_of_bots(self) -> bool:
        return self.given.get("players") == "bots"

    @property
    def is_of_quarter(self) -> bool:
        return self.given.get("since") == "quarter"

    @property
    def quarter(self) -> int:
        return quarter_of(self.now)[1]

    @property
    def query(self) -> str:
        """The choices as a query string, ending in `&`; empty if there are none."""
        return ("players=bots&" if self.is_of_bots else "") + ("since=quarter&" if self.is_of_quarter else "")

    @cached_property
    def page(self) -> Page[Rating]:
        year, quarter = quarter_of(self.now)
        began = self.now.replace(
            year=year, month=3 * quarter - 2, day=1, hour=0, minute=0, second=0, microsecond=0
        )
        found = selectors.leaderboard(
            self.meta.slug, bots=self.is_of_bots, since=began if self.is_of_quarter else None
        )
        return Paginator(found, PER_PAGE).get_page(self.given.get("page", ""))

    @property
    def rows(self) -> list[tuple[int, Rating]]:
        """The place on the board, and the rating."""
        return list(enumerate(self.page.object_list, start=self.page.start_index()))
