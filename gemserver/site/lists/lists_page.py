"""Lists with filters: open tables, running and finished matches, and seats that want a substitute.

Each list takes the same number of queries however many matches there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any
from urllib.parse import urlencode
from zlib import crc32

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games import registry
from gemserver.accounts.models import User
from gemserver.accounts.names import unmarked
from gemserver.matches import selectors, tables
from gemserver.matches.followed_players import has_followed_player
from gemserver.matches.models import Match, Seat

PER_PAGE = 20

_ANY = [("", _("any"))]
_SEATS = Prefetch("seats", Seat.objects.select_related("user").order_by("index"))
_DAY = timedelta(days=1)

PACES: Mapping[str, tuple[Any, Q]] = {
    "day": (_("a day or less for a move"), Q(increment__lte=_DAY)),
    "days": (_("up to three days"), Q(increment__gt=_DAY, increment__lte=3 * _DAY)),
    "week": (_("longer"), Q(increment__gt=3 * _DAY)),
}
"""Clocks by increment, which decides how fast a match goes."""

_BIDS = {
    "table": (_("one after the other"), ~Q(options__contains="pace=sealed")),
    "sealed": (_("all at once, sealed"), Q(options__contains="pace=sealed")),
}


class Filter(forms.Form):
    """Choices that narrow a list; an unreadable one is ignored."""

    game = forms.ChoiceField(label=_("Game"), required=False)

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        games = [(slug, game.rules.meta.title) for slug, game in registry.GAMES.items()]
        self.fields["game"] = forms.ChoiceField(label=_("Game"), choices=[*_ANY, *games], required=False)
        self.is_valid()

    def chosen(self, name: str) -> str:
        return str(self.cleaned_data.get(name) or "")

    def wanted(self) -> Q:
        """The condition on the rows of the list."""
        return Q(game=self.chosen("game")) if self.chosen("game") else Q()

    @property
    def query(self) -> str:
        """The chosen filters as a query string, ending in `&`; empty if none is chosen."""
        chosen = {name: self.chosen(name) for name in self.fields if self.chosen(name)}
        return f"{urlencode(chosen)}&" if chosen else ""


class TableFilter(Filter):
    """The filter of open tables."""

    seats = forms.ChoiceField(
        label=_("Seats"), choices=[*_ANY, *((str(n), str(n)) for n in range(2, 9))], required=False
    )
    clock = forms.ChoiceField(
        label=_("Clock"),
        choices=[*_ANY, *((name, words) for name, (words, _q) in PACES.items())],
        required=False,
    )
    pace = forms.ChoiceField(
        label=_("Bids"),
        choices=[*_ANY, *((name, words) for name, (words, _q) in _BIDS.items())],
        required=False,
    )

    bots = forms.ChoiceField(
        label=_("Bots"),
        choices=[*_ANY, ("no", _("people only")), ("yes", _("bots may join"))],
        required=False,
    )
    by = forms.ChoiceField(
        label=_("Players"), choices=[*_ANY, ("followed", _("whom you follow"))], required=False
    )

    def __init__(self, data: Mapping[str, Any], reader: User | None = None) -> None:
        super().__init__(data)
        self.reader = reader
        if reader is None or not reader.follows.exists():
            del self.fields["by"]
            self.cleaned_data.pop("by", None)

    def wanted(self) -> Q:
        found = super().wanted()
        if self.chosen("bots"):
            found &= Q(allows_bots=self.chosen("bots") == "yes")
        if self.chosen("seats"):
            found &= Q(seat_count=int(self.chosen("seats")))
        if self.chosen("clock"):
            found &= PACES[self.chosen("clock")][1]
        if self.chosen("pace"):
            found &= _BIDS[self.chosen("pace")][1]
        if self.chosen("by") and self.reader is not None:
            found &= has_followed_player(self.reader)
        return found


_LISTED = {
    Match.Status.FINISHED: _("finished matches"),
    Match.Status.RUNNING: _("running matches"),
    Match.Status.CANCELLED: _("cancelled tables"),
}


class MatchFilter(Filter):
    """The filter of running and past matches."""

    status = forms.ChoiceField(label=_("Show"), choices=[*_LISTED.items()], required=False)
    player = forms.CharField(label=_("With the player"), max_length=150, required=False)

    def wanted(self) -> Q:
        status = self.chosen("status") or Match.Status.FINISHED
        found = super().wanted() & Q(status=status)
        if self.chosen("player"):
            seats = Seat.objects.filter(
                user__username__iexact=unmarked(self.chosen("player")), user__is_guest=False
            )
            found &= Q(pk__in=seats.values("match"))
        return found

    @property
    def nothing(self) -> str:
        """The sentence for an empty list."""
        return {
            Match.Status.RUNNING: gettext("No match is going on that you may watch."),
            Match.Status.CANCELLED: gettext("No table has been cancelled."),
        }.get(Match.Status(self.chosen("status") or Match.Status.FINISHED), gettext("No match is over yet."))

    @property
    def order(self) -> str:
        return "-started_at" if self.chosen("status") == Match.Status.RUNNING else "-finished_at"


@dataclass(frozen=True)
class ListPage:
    """One page of a list; the query strings of the others begin with that of its filter."""

    filter: Filter
    found: QuerySet[Any]
    number: str
    everything: QuerySet[Any]
    """The list before any filter is applied."""

    @cached_property
    def page(self) -> Page[Any]:
        return Paginator(self.found, PER_PAGE).get_page(self.number)

    @property
    def progress(self) -> str:
        """The progress of this page of the list as one word; a page that shows another word is out of date."""
        rows = [
            (row.pk, row.status, row.ply, [seat.name for seat in row.seats.all()])
            if isinstance(row, Match)
            else row.pk
            for row in self.page
        ]
        return str(crc32(repr((rows, self.page.paginator.count)).encode()))

    @property
    def news(self) -> str:
        """The filters and the number of the page as a query string, for asking whether the list has changed."""
        return f"{self.filter.query}page={self.page.number}"

    @property
    def offers_choice(self) -> bool:
        """True if there is anything to choose from."""
        return self.is_narrowed or bool(self.page.object_list) or self.everything.exists()

    @property
    def is_narrowed(self) -> bool:
        """True if the list might be longer without the filters."""
        return any(self.filter.chosen(name) for name in self.filter.fields if name != "status")


def open_tables(given: Mapping[str, Any], number: str, reader: User | None) -> ListPage:
    """The tables that the reader (None: anybody) may join, the newest first."""
    narrowed = TableFilter(given, reader)
    everything = tables.open_to_all(reader)
    found = everything.filter(narrowed.wanted()).order_by("-created_at")
    return ListPage(narrowed, found.prefetch_related(_SEATS), number, everything)


def substitutes_wanted(given: Mapping[str, Any], number: str, reader: User | None) -> ListPage:
    """The open seats of absent players, without those of matches that the reader plays in."""
    narrowed = Filter(given)
    everything = seats = selectors.open_seats(reader)
    if narrowed.chosen("game"):
        seats = seats.filter(match__game=narrowed.chosen("game"))
    found = seats.prefetch_related(Prefetch("match__seats", _SEATS.queryset))
    return ListPage(narrowed, found, number, everything)


def matches(given: Mapping[str, Any], number: str, reader: User | None) -> ListPage:
    """Running and finished matches, and cancelled tables, without practice matches of guests."""
    narrowed = MatchFilter(given)
    everything = selectors.listed_matches(reader)
    found = everything.filter(narrowed.wanted()).order_by(narrowed.order, "-pk")
    return ListPage(narrowed, found.prefetch_related(_SEATS), number, everything)
