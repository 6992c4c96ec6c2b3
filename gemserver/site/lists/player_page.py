"""A player's public page: ratings, results, punctuality, opponents and matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode
from zlib import crc32

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_key
from gemserver.accounts.names import unmarked
from gemserver.matches import tables
from gemserver.matches.models import Match, Seat
from gemserver.matches.privacy import seen_by
from gemserver.matches.words.clocks import rough_span
from gemserver.ratings import selectors
from gemserver.ratings.statistics import RECENT, GameLine, Meetings, PlayerStatistics, name_game
from gemserver.site.lists.lists_page import Filter
from gemserver.site.lists.rating_curve import Curve, draw_curve

PER_PAGE = 20
MOST_RUNNING = 20

_SEATS = Seat.objects.select_related("user").order_by("index")


class PlayerMatchFilter(Filter):
    """The filter of a player's finished matches."""

    result = forms.ChoiceField(
        label=_("Result"),
        choices=[("", _("any")), ("won", _("first place")), ("lost", _("other places"))],
        required=False,
    )
    opponent = forms.CharField(label=_("Against"), max_length=150, required=False)

    def wanted(self) -> Q:
        found = Q(match__game=self.chosen("game")) if self.chosen("game") else Q()
        if self.chosen("result"):
            found &= Q(rank=1) if self.chosen("result") == "won" else Q(rank__gt=1)
        if name := self.chosen("opponent"):
            met = Seat.objects.filter(match=OuterRef("match"), user=find_key(unmarked(name)) or 0)
            found &= Q(Exists(met))
        return found


@dataclass(frozen=True, slots=True)
class GamePart:
    """A player's results in one game, with the course of their rating."""

    line: GameLine
    curve: Curve | None


@dataclass(frozen=True)
class PlayerPage:
    """The page of one player as this reader (None: a stranger) may see it.

    It takes the same number of queries however many matches there are, for each game that the player plays.
    """

    player: User
    given: Mapping[str, Any]
    reader: User | None = None

    @cached_property
    def statistics(self) -> PlayerStatistics:
        return PlayerStatistics(self.player)

    @cached_property
    def games(self) -> list[GamePart]:
        """A part for each game, the most played first."""
        return [
            GamePart(line, draw_curve(selectors.curve(self.player, line.game)) if line.rating else None)
            for line in self.statistics.games
        ]

    @property
    def recent(self) -> int:
        """The matches from which punctuality is read, at most."""
        return RECENT

    @property
    def median_words(self) -> str:
        """The median time of an answer, in words."""
        punctuality = self.statistics.punctuality
        return rough_span(punctuality.median) if punctuality and punctuality.median else ""

    @cached_property
    def head_to_head(self) -> list[tuple[str, Meetings]]:
        """The reader's results against this player, by the title of the game; empty for a stranger and for oneself."""
        if self.reader is None or self.reader == self.player:
            return []
        return [(name_game(game), meetings) for game, meetings in self.statistics.against(self.reader)]

    @property
    def _seats(self) -> QuerySet[Seat]:
        return Seat.objects.filter(seen_by(self.reader, "match__"), user=self.player)

    @cached_property
    def filter(self) -> PlayerMatchFilter:
        return PlayerMatchFilter(self.given)

    @cached_property
    def results(self) -> Page[Seat]:
        """The player's seats in finished matches that were asked for, the newest first."""
        seats = self._seats.filter(self.filter.wanted(), match__status=Match.Status.FINISHED)
        seats = seats.select_related("match").order_by("-match__finished_at", "-pk")
        seats = seats.prefetch_related(Prefetch("match__seats", _SEATS))
        return Paginator(seats, PER_PAGE).get_page(self.given.get("page", ""))

    @property
    def is_narrowed(self) -> bool:
        """True if the list might be longer without the filters."""
        return bool(self.filter.query)

    @cached_property
    def running(self) -> list[Seat]:
        """The player's seats in running matches, the newest first."""
        seats = self._seats.filter(match__status=Match.Status.RUNNING)
        seats = seats.select_related("match").order_by("-match__started_at")
        return list(seats.prefetch_related(Prefetch("match__seats", _SEATS))[:MOST_RUNNING])

    @cached_property
    def open_tables(self) -> list[Match]:
        """The tables at which the player waits for others and that the reader may join, the newest first."""
        found = tables.open_to_all(self.reader).filter(
            Exists(_SEATS.filter(match=OuterRef("pk"), user=self.player))
        )
        return list(found.prefetch_related(Prefetch("seats", _SEATS)).order_by("-created_at")[:MOST_RUNNING])

    @cached_property
    def may_follow(self) -> bool:
        """True if the reader has an account, and this is somebody else's page."""
        return self.reader is not None and self.reader != self.player

    @cached_property
    def is_followed(self) -> bool:
        """True if the reader follows this player."""
        return self.reader is not None and self.reader.follows.filter(followed=self.player).exists()

    @property
    def progress(self) -> str:
        """The progress of this page as one word; a page that shows another word is out of date."""
        running = [
            (seat.match_id, seat.match.ply, [other.name for other in seat.match.seats.all()])
            for seat in self.running
        ]
        waiting = [(match.pk, [seat.name for seat in match.seats.all()]) for match in self.open_tables]
        finished = [seat.pk for seat in self.results]
        return str(crc32(repr((running, waiting, finished, self.results.paginator.count)).encode()))

    @property
    def news(self) -> str:
        """The page as a query string, for asking whether it has changed: player, filters, number."""
        return f"{self.filter.query}{urlencode({'name': self.player.username, 'page': self.results.number})}"


def find_player_page(name: str, given: Mapping[str, Any], reader: User | None) -> PlayerPage:
    """Find the page of the player with this name. Raises Http404."""
    return PlayerPage(
        get_object_or_404(
            User.objects.select_related("owner"), username=name, is_active=True, is_guest=False
        ),
        given,
        reader,
    )
