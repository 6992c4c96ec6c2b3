"""Statistics for people and programs: of a player, of two players, of a game. Finished public matches alone count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from itertools import groupby
from math import sqrt
from typing import Any

from django.db.models import Case, Count, F, Q, QuerySet, Sum, When

from games import registry
from games.ratings import Belief
from gemserver.accounts.models import User
from gemserver.matches.models import Match
from gemserver.matches.privacy import seen_by
from gemserver.matches.wins import SHARERS, Won, sum_won
from gemserver.ratings import answer_times, selectors
from gemserver.ratings.match_statistics import WHOLE_WIN
from gemserver.ratings.statistics_models import GameTally, PlayedMatch

RECENT = 50
"""Finished matches from which punctuality is read: the last ones."""
MOST_OPPONENTS = 10
MOST_OPENINGS = 8
_Z = 1.96
"""Standard deviations on both sides of a mean that hold 95 in 100."""


def name_game(slug: str) -> str:
    """The title of a game, even of one that is not offered any more."""
    return Match(game=slug).title


@dataclass(frozen=True, slots=True)
class Share:
    """A share of matches, with the interval in which it truly lies, 95 times of 100."""

    wins: float
    count: int

    @property
    def percent(self) -> float:
        return 100 * self.wins / self.count if self.count else 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """Wilson's interval, in percent.

        >>> [round(bound, 1) for bound in Share(29, 100).bounds]
        [21.0, 38.5]
        """
        if not self.count:
            return 0.0, 100.0
        share, n = self.wins / self.count, self.count
        middle = share + _Z**2 / (2 * n)
        spread = _Z * sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
        return 100 * (middle - spread) / (1 + _Z**2 / n), 100 * (middle + spread) / (1 + _Z**2 / n)

    @property
    def low(self) -> float:
        return self.bounds[0]

    @property
    def high(self) -> float:
        return self.bounds[1]


@dataclass(frozen=True, slots=True)
class SeatsLine:
    """A player's matches of one game with one number of seats."""

    seats: int
    won: Won
    above_mean: float
    """Points above the mean of the table, for each match."""

    @property
    def played(self) -> int:
        return self.won.played

    @property
    def won_percent(self) -> float:
        return float(100 * self.won.wins / self.played)


@dataclass(frozen=True, slots=True)
class GameLine:
    """A player's matches of one game."""

    game: str
    by_seats: Sequence[SeatsLine]
    rating: Belief | None
    rated_matches: int = 0

    @property
    def title(self) -> str:
        return name_game(self.game)

    @property
    def played(self) -> int:
        return self.won.played

    @property
    def won(self) -> Won:
        return sum((line.won for line in self.by_seats), Won())

    @property
    def above_mean(self) -> float:
        return sum(line.above_mean * line.played for line in self.by_seats) / max(1, self.played)


@dataclass(frozen=True, slots=True)
class Punctuality:
    """How a player has kept time in their last matches."""

    matches: int
    answers: int
    median: timedelta | None
    timeouts: int
    lost_seats: int


@dataclass(frozen=True, slots=True)
class Meetings:
    """Finished matches in which two players sat to the end, seen from one of them; in one game, or in all."""

    met: int
    ahead: int
    behind: int

    @property
    def level(self) -> int:
        return self.met - self.ahead - self.behind


@dataclass(frozen=True, slots=True)
class Opponent:
    """Another player, and how often they were met."""

    player: User
    meetings: Meetings


@dataclass(frozen=True)
class PlayerStatistics:
    """The statistics of one player; some queries, however many players there are."""

    player: User

    @property
    def _rows(self) -> QuerySet[PlayedMatch]:
        return PlayedMatch.objects.filter(user=self.player)

    @cached_property
    def games(self) -> list[GameLine]:
        """A line for each game, the most played first."""
        rows = (
            self._rows.filter(rank__isnull=False)
            .annotate(sharers=SHARERS)
            .values("game", "seat_count", "sharers")
            .annotate(played=Count("pk"), above=Sum("above_mean"))
            .order_by("game", "seat_count")
        )
        ratings = selectors.ratings_of(self.player)
        lines = []
        for game, found in groupby(rows, key=lambda row: str(row["game"])):
            by_seats = [
                _sum_seats(seats, list(group))
                for seats, group in groupby(found, key=lambda row: int(row["seat_count"]))
            ]
            rating = ratings.get(game)
            lines.append(
                GameLine(game, by_seats, rating.belief if rating else None, rating.matches if rating else 0)
            )
        return sorted(lines, key=lambda line: -line.played)

    @cached_property
    def punctuality(self) -> Punctuality | None:
        """None without a match."""
        rows = list(
            self._rows.order_by("-finished_at").values_list("answers", "times", "timeouts", "lost_seat")[
                :RECENT
            ]
        )
        if not rows:
            return None
        times = answer_times.merge(row[1] for row in rows)
        return Punctuality(
            matches=len(rows),
            answers=sum(row[0] for row in rows),
            median=answer_times.median(times),
            timeouts=sum(row[2] for row in rows),
            lost_seats=sum(row[3] for row in rows),
        )

    @cached_property
    def opponents(self) -> list[Opponent]:
        """The players met most, those met most often first. Meetings in a club that is private now are not told."""
        others = Q(user__is_active=True, user__is_guest=False) & seen_by(None, "match__")
        rows = self._meetings(others, "user")[:MOST_OPPONENTS]
        players = User.objects.in_bulk([key for key, _ in rows])
        return [Opponent(players[key], meetings) for key, meetings in rows]

    def against(self, reader: User) -> list[tuple[str, Meetings]]:
        """The reader's results against this player, by game, the most played first."""
        return PlayerStatistics(reader)._meetings(Q(user=self.player), "game")

    def _meetings(self, others: Q, by: str) -> list[tuple[Any, Meetings]]:
        """The meetings with these others, by a column of their rows."""
        mine = "match__played_matches__rank"
        rows = (
            PlayedMatch.objects.filter(
                others,
                rank__isnull=False,
                match__played_matches__user=self.player,
                **{f"{mine}__isnull": False},
            )
            .exclude(user=self.player)
            .values(by)
            .annotate(
                met=Count("pk"),
                ahead=Sum(Case(When(**{f"{mine}__lt": F("rank")}, then=1), default=0)),
                behind=Sum(Case(When(**{f"{mine}__gt": F("rank")}, then=1), default=0)),
            )
            .order_by("-met", by)
        )
        return [(row[by], Meetings(row["met"], row["ahead"], row["behind"])) for row in rows]


def _sum_seats(seats: int, rows: Sequence[Mapping[str, Any]]) -> SeatsLine:
    won = sum_won((row["played"], row["sharers"]) for row in rows)
    return SeatsLine(seats, won, sum(row["above"] for row in rows) / won.played)


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure of many matches: its median, and the middle eight of ten."""

    median: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class PlaceLine:
    """A place in turn order, 1 for who began, and how often it wins."""

    place: int
    share: Share


@dataclass(frozen=True, slots=True)
class Opening:
    """A first move, how often it was made, and how often its player won."""

    text: str
    frequency: Share
    share: Share


@dataclass(frozen=True)
class GameStatistics:
    """How one game goes with one number of seats; three queries, however many matches there are."""

    game: str
    seats: int

    @cached_property
    def _numbers(self) -> dict[str, Counter[int]]:
        """How many matches had each length, by kind."""
        rows = self._tallies.filter(kind__in=[GameTally.Kind.PLIES, GameTally.Kind.DAYS])
        found: dict[str, Counter[int]] = {}
        for kind, key, count in rows.values_list("kind", "key", "count"):
            found.setdefault(kind, Counter())[int(key)] += count
        return found

    @property
    def _tallies(self) -> QuerySet[GameTally]:
        return GameTally.objects.filter(game=self.game, seat_count=self.seats, count__gt=0)

    @cached_property
    def matches(self) -> int:
        """The matches that count: those that were played out."""
        return sum(self._numbers.get(GameTally.Kind.PLIES, Counter()).values())

    @cached_property
    def places(self) -> list[PlaceLine]:
        """How often each place in turn order wins; empty where all decide at once."""
        rows = self._tallies.filter(kind=GameTally.Kind.PLACE).values_list("key", "count", "wins")
        return sorted(
            (PlaceLine(int(key), Share(wins / WHOLE_WIN, count)) for key, count, wins in rows),
            key=lambda line: line.place,
        )

    @property
    def plies(self) -> Spread | None:
        return _spread(self._numbers.get(GameTally.Kind.PLIES))

    @property
    def days(self) -> Spread | None:
        return _spread(self._numbers.get(GameTally.Kind.DAYS))

    @cached_property
    def openings(self) -> list[Opening]:
        """The most frequent first moves."""
        rows = self._tallies.filter(kind=GameTally.Kind.OPENING).order_by("-count", "key")
        whole = self.matches * (1 if self.places else self.seats)
        return [
            Opening(key, Share(count, whole), Share(wins / WHOLE_WIN, count))
            for key, count, wins in rows.values_list("key", "count", "wins")[:MOST_OPENINGS]
        ]


def seats_played(game: str) -> dict[int, int]:
    """How many matches of the game were played out with each number of seats."""
    rows = GameTally.objects.filter(game=game, kind=GameTally.Kind.PLIES, count__gt=0)
    found = rows.values("seat_count").annotate(played=Sum("count")).order_by("seat_count")
    return {row["seat_count"]: row["played"] for row in found}


def usual_seats(game: str) -> int:
    """The number of seats with which the game is played most."""
    played = seats_played(game)
    least = registry.GAMES[game].rules.meta.min_seats if game in registry.GAMES else 2
    return max(played, key=lambda seats: played[seats], default=least)


def _spread(numbers: Counter[int] | None) -> Spread | None:
    if not numbers:
        return None
    return Spread(*(_quantile(numbers, part) for part in (0.5, 0.1, 0.9)))


def _quantile(numbers: Counter[int], part: float) -> int:
    left = part * sum(numbers.values())
    for number, count in sorted(numbers.items()):
        left -= count
        if left <= 0:
            return number
    raise AssertionError("the parts are at most the whole")
