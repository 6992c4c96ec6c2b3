"""The list of events, and the page of one: its season, tables, fixtures, rules and log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db.models import Count, Prefetch, Q
from django.http import Http404
from django.utils.safestring import SafeString

from gemserver.accounts.models import User
from gemserver.events.arithmetic.divisions import fewest_players
from gemserver.events.arithmetic.schedules import measure_balance
from gemserver.events.arithmetic.tables import Row, TieBreak
from gemserver.events.log_words import LogLine, say_log
from gemserver.events.models import Division, Entry, Event, Fixture, Place, Replacement, Season
from gemserver.events.replacements import answer_until, asked_in, open_questions
from gemserver.events.rights import is_organiser
from gemserver.events.selectors import events_seen_by
from gemserver.events.standings import Standings, find_standings
from gemserver.events.words import (
    TIE_BREAKS,
    name_of,
    say_balance,
    say_bound,
    say_rules,
    show_value,
)
from gemserver.lib import clock
from gemserver.lib.text.fractions import show_fraction
from gemserver.lib.text.markdown import render

MOST_LISTED = 100
MOST_LOG = 50


def seen_events(reader: User | None) -> list[Event]:
    """The events that this reader (None: a stranger) may see, by name, each with its last season."""
    seasons = Season.objects.annotate(
        entered=Count("entries", filter=Q(entries__withdrawn_at=None, entries__player__isnull=False))
    ).order_by("-number")
    return list(events_seen_by(reader).prefetch_related(Prefetch("seasons", seasons))[:MOST_LISTED])


@dataclass(frozen=True)
class EventsPage:
    """All events by what one can do there."""

    reader: User | None

    @cached_property
    def _shown(self) -> list[tuple[Event, Season]]:
        return [(event, event.seasons.all()[0]) for event in seen_events(self.reader) if event.seasons.all()]

    @property
    def entering(self) -> list[tuple[Event, Season]]:
        return [row for row in self._shown if row[1].state == Season.State.ENTERING]

    @property
    def running(self) -> list[tuple[Event, Season]]:
        return [row for row in self._shown if row[1].state == Season.State.RUNNING]

    @property
    def past(self) -> list[tuple[Event, Season]]:
        states = {Season.State.OVER, Season.State.CANCELLED}
        return [row for row in self._shown if row[1].state in states]


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of a division's table, in words."""

    place: int
    entry: int
    name: str
    username: str
    points: str
    played: int
    values: tuple[str, ...]
    possible: str
    is_mine: bool
    is_gone: bool
    outcome: str


@dataclass(frozen=True)
class DivisionPart:
    """A division with its table and fixtures."""

    division: Division
    standings: Standings
    reader: User | None
    is_only: bool

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Heads of the tie-breaks' columns, with what each counts."""
        return [TIE_BREAKS[tie_break] for tie_break in self._shown_tie_breaks]

    @property
    def _shown_tie_breaks(self) -> list[TieBreak]:
        """All but the lots that are not drawn yet."""
        is_over = self.division.season.state == Season.State.OVER
        return [one for one in self.standings.tie_breaks if is_over or one is not TieBreak.LOT]

    @property
    def lines(self) -> Iterator[TableLine]:
        for row in self.standings.rows:
            yield self._line(row, self.standings.entries[row.player])

    def _line(self, row: Row, entry: Entry) -> TableLine:
        bound = self.standings.bounds.get(row.player)
        return TableLine(
            place=row.place,
            entry=entry.pk,
            name=name_of(entry),
            username=entry.player.username if entry.player else "",
            points=show_fraction(row.points),
            played=row.played,
            values=tuple(
                show_value(tie_break, value)
                for tie_break, value in zip(self.standings.tie_breaks, row.values, strict=True)
                if tie_break in self._shown_tie_breaks
            ),
            possible=say_bound(bound) if bound and self.standings.open_fixtures else "",
            is_mine=self.reader is not None and entry.player_id == self.reader.pk,
            is_gone=entry.is_gone,
            outcome=entry.get_outcome_display() if entry.outcome not in {"", Entry.Outcome.STAYS} else "",
        )

    @property
    def balance(self) -> str:
        """How even the schedule is; empty for a Swiss event, whose rounds are paired as they come."""
        event = self.division.season.event
        if event.format == Event.Format.SWISS:
            return ""
        numbers = {pk: index for index, pk in enumerate(self.standings.entries)}
        fixtures = [tuple(numbers[place.entry_id] for place in row.places.all()) for row in self.fixtures]
        return say_balance(measure_balance(len(numbers), event.seats, fixtures))

    @cached_property
    def fixtures(self) -> list[Fixture]:
        """The fixtures, those that the reader plays first; players by rank, before there is one in turn order."""
        places = Place.objects.select_related("entry__player").order_by("index")
        found = self.division.fixtures.select_related("match").prefetch_related(
            Prefetch("places", places), "match__seats"
        )
        rows = list(found.order_by("round", "number"))
        for row in rows:
            seats = {seat.index: seat for seat in row.match.seats.all()} if row.match else {}
            for place in row.places.all():
                place.shown_name = name_of(place.entry)  # type: ignore[attr-defined]
                seat = seats.get(place.index)
                rank = place.rank if row.adjudicated_at else (seat.rank if seat else None)
                place.shown_rank = rank  # type: ignore[attr-defined]
            row.shown_places = sorted(  # type: ignore[attr-defined]
                row.places.all(), key=lambda place: (place.shown_rank or 0, place.index)
            )
        return sorted(rows, key=lambda row: not self._plays(row))

    def _plays(self, fixture: Fixture) -> bool:
        return self.reader is not None and any(
            place.entry.player_id == self.reader.pk for place in fixture.places.all()
        )


@dataclass(frozen=True)
class EventPage:
    """The page of one season of an event, for one reader."""

    event: Event
    reader: User | None
    number: int | None = None
    """Of the season; None: the last one."""

    @cached_property
    def seasons(self) -> list[Season]:
        """The newest first."""
        return list(self.event.seasons.order_by("-number"))

    @cached_property
    def season(self) -> Season:
        """Raises Http404."""
        for season in self.seasons:
            if self.number in (None, season.number):
                season.event = self.event
                return season
        raise Http404

    @property
    def former(self) -> Season | None:
        """The season before one for which players enter, whose table they may look for."""
        return self.seasons[1] if self.is_entering and len(self.seasons) > 1 else None

    @property
    def about(self) -> SafeString:
        return render(self.event.about)

    @property
    def rules(self) -> list[str]:
        return say_rules(self.event)

    @property
    def tie_breaks(self) -> list[tuple[str, str]]:
        """Names and meanings of the tie-breaks, in their order."""
        return [TIE_BREAKS[TieBreak(name)] for name in self.event.tie_breaks]

    @property
    def secret(self) -> str:
        """The secret of the season, once it is over."""
        return self.season.secret if self.season.state == Season.State.OVER else ""

    @property
    def is_entering(self) -> bool:
        return self.season.state == Season.State.ENTERING

    @property
    def is_running(self) -> bool:
        return self.season.state == Season.State.RUNNING

    @cached_property
    def entry(self) -> Entry | None:
        """The reader's own entry, if it has not been withdrawn."""
        if self.reader is None:
            return None
        return self.season.entries.filter(player=self.reader, withdrawn_at=None).first()

    @cached_property
    def question(self) -> Replacement | None:
        """The question to the reader if they go on for a player of this season."""
        if self.reader is None or not self.is_running:
            return None
        return asked_in(self.event, self.reader, clock.now())

    @property
    def question_until(self) -> datetime | None:
        return answer_until(self.question) if self.question else None

    @property
    def asked(self) -> list[Replacement]:
        """The newcomers who are asked to go on for players of this season, for its organisers."""
        return list(open_questions(clock.now()).filter(entry__season=self.season))

    @cached_property
    def entrants(self) -> list[Entry]:
        """The players who have entered so far."""
        entries = self.season.entries.filter(withdrawn_at=None, player__isnull=False)
        return list(entries.select_related("player").order_by("entered_at", "pk"))

    @property
    def fewest(self) -> int:
        """The players without whom the season does not begin."""
        return fewest_players(self.event.seats)

    @property
    def missing(self) -> int:
        """The number of players that it lacks."""
        return max(self.fewest - len(self.entrants), 0)

    @cached_property
    def divisions(self) -> list[DivisionPart]:
        found = list(self.season.divisions.order_by("level", "number"))
        for division in found:
            division.season = self.season
        return [
            DivisionPart(division, find_standings(division), self.reader, len(found) == 1)
            for division in found
        ]

    @cached_property
    def is_organiser(self) -> bool:
        return self.reader is not None and is_organiser(self.event, self.reader)

    @cached_property
    def organisers(self) -> list[User]:
        """Those who were put in for this event, who opened it first."""
        rows = self.event.organisers.select_related("user").order_by("pk")
        return [row.user for row in rows]

    @property
    def fixtures_to_decide(self) -> list[Fixture]:
        """All fixtures of the season, for the organiser's choice."""
        return [fixture for part in self.divisions for fixture in part.fixtures]

    @property
    def log(self) -> Sequence[LogLine]:
        rows = self.event.log.select_related("by", "season").order_by("-pk")[:MOST_LOG]
        return [say_log(row) for row in rows]

    @property
    def is_played_out(self) -> bool:
        """True if all fixtures of a running season are decided."""
        return self.is_running and not any(part.standings.open_fixtures for part in self.divisions)
