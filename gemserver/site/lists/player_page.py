"""A player's public page: name, date of joining, matches and results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode
from zlib import crc32

from django.core.paginator import Page, Paginator
from django.db.models import Count, Prefetch, Q, QuerySet
from django.shortcuts import get_object_or_404

from gemserver.accounts.models import User
from gemserver.matches.models import Match, Seat

PER_PAGE = 20
MOST_RUNNING = 20

_SEATS = Seat.objects.select_related("user").order_by("index")


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of a player's finished matches of a game, and of those that they won, alone or jointly."""

    game: str
    title: str
    played: int
    won: int


@dataclass(frozen=True)
class PlayerPage:
    """The page of one player; it takes the same number of queries however many matches there are."""

    player: User
    number: str = "1"

    @cached_property
    def _finished(self) -> QuerySet[Seat]:
        return Seat.objects.filter(user=self.player, match__status=Match.Status.FINISHED)

    @property
    def tallies(self) -> Iterator[Tally]:
        """A line for each game that the player has played, the most played first."""
        rows = self._finished.values("match__game").annotate(played=Count("pk"), won=Count("pk", Q(rank=1)))
        for row in sorted(rows, key=lambda row: (-row["played"], row["match__game"])):
            slug = row["match__game"]
            yield Tally(slug, Match(game=slug).title, row["played"], row["won"])

    @cached_property
    def results(self) -> Page[Seat]:
        """The player's seats in finished matches, the newest first."""
        seats = self._finished.select_related("match").order_by("-match__finished_at", "-pk")
        return Paginator(seats.prefetch_related(Prefetch("match__seats", _SEATS)), PER_PAGE).get_page(
            self.number
        )

    @cached_property
    def running(self) -> list[Seat]:
        """The player's seats in running matches, the newest first."""
        seats = Seat.objects.filter(user=self.player, match__status=Match.Status.RUNNING)
        seats = seats.select_related("match").order_by("-match__started_at")
        return list(seats.prefetch_related(Prefetch("match__seats", _SEATS))[:MOST_RUNNING])

    @property
    def progress(self) -> str:
        """The progress of this page as one word; a page that shows another word is out of date."""
        running = [
            (seat.match_id, seat.match.ply, [other.name for other in seat.match.seats.all()])
            for seat in self.running
        ]
        finished = [seat.pk for seat in self.results]
        return str(crc32(repr((running, finished, self.results.paginator.count)).encode()))

    @property
    def news(self) -> str:
        """The player and the number of the page as a query string, for asking whether the page has changed."""
        return urlencode({"name": self.player.username, "page": self.results.number})


def find_player_page(name: str, number: str) -> PlayerPage:
    """Find the page of the player with this name. Raises Http404."""
    return PlayerPage(
        get_object_or_404(
            User.objects.select_related("owner"), username=name, is_active=True, is_guest=False
        ),
        number,
    )
