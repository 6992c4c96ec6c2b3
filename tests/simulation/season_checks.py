"""Conditions that seasons must meet: they end on their dates, and all that they say follows from records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import combinations, pairwise

from games.record import read_record
from games.replay import replay
from gemserver.events.models import Division, Entry, Season
from gemserver.events.standings import find_standings
from gemserver.events.verify import find_faults
from gemserver.matches.models import Match
from gemserver.matches.records import record_text

POINTS = {2: (1, 0), 3: (6, 3, 1), 4: (10, 6, 3, 1)}
"""Points of the places at tables of so many seats, as docs/decisions/events.md says."""
STEPS = {Entry.Outcome.PROMOTED: -1, Entry.Outcome.STAYS: 0, Entry.Outcome.RELEGATED: 1}


def of_dates(now: datetime) -> Iterator[str]:
    """No season runs when its date has come and the server has looked."""
    for season in Season.objects.filter(state=Season.State.RUNNING, ends_at__lte=now):
        yield f"{now:%d %b %H:%M}: {season} should have ended at {season.ends_at:%d %b %H:%M}"


def of_finished(late: timedelta) -> Iterator[str]:
    """Look at all seasons that are over. `late`: how long after its date a season may have been closed."""
    for season in Season.objects.filter(state=Season.State.OVER).select_related("event"):
        assert season.closed_at
        if not season.ends_at <= season.closed_at <= season.ends_at + late:
            yield f"{season} was to end at {season.ends_at} and was closed at {season.closed_at}"
        yield from (f"{season}: {fault}" for fault in find_faults(season))
        divisions = list(season.divisions.order_by("level"))
        for division in divisions:
            yield from _of_table(division)
        for upper, lower in pairwise(divisions):
            yield from _of_exchange(season, upper, lower)
        yield from _of_next(season)


def _of_table(division: Division) -> Iterator[str]:
    """The points, added up anew from the records, and the order by them."""
    points: defaultdict[int, Fraction] = defaultdict(Fraction)
    for fixture in division.fixtures.select_related("match"):
        places = list(fixture.places.order_by("index"))
        ranks = _ranks(fixture.match) if fixture.match else []
        for place, rank in zip(places, ranks, strict=True):
            shared = ranks.count(rank)
            points[place.entry_id] += Fraction(sum(POINTS[len(ranks)][rank - 1 : rank - 1 + shared]), shared)
    rows = find_standings(division, with_bounds=False).rows
    for row in rows:
        if row.points != points[row.player]:
            yield f"division {division.pk}: entry {row.player} has {row.points} points, by records {points[row.player]}"
    stayed = [points[row.player] for row in rows if not Entry.objects.get(pk=row.player).is_gone]
    if stayed != sorted(stayed, reverse=True):
        yield f"division {division.pk}: the table is not in the order of points"


def _ranks(match: Match) -> list[int]:
    """The ranks to which the record of the match leads, as anybody can replay it."""
    return list(replay(read_record(record_text(match))).ranks)


def _of_exchange(season: Season, upper: Division, lower: Division) -> Iterator[str]:
    down = upper.entries.filter(outcome=Entry.Outcome.RELEGATED).count()
    up = lower.entries.filter(outcome=Entry.Outcome.PROMOTED).count()
    if not down == up == season.event.exchanged:
        yield f"{season}: {down} go down and {up} up, not {season.event.exchanged}"


def _of_next(season: Season) -> Iterator[str]:
    """Nobody of the next season stands above another who has earned a higher level."""
    earned = {
        entry.player_id: entry.division.level + STEPS[Entry.Outcome(entry.outcome)]
        for entry in season.entries.exclude(division=None).select_related("division")
        if entry.division
    }
    later = Entry.objects.filter(season__event=season.event, season__number=season.number + 1)
    levels = {
        entry.player_id: entry.division.level
        for entry in later.exclude(division=None).select_related("division")
        if entry.division and entry.player_id in earned
    }
    for one, other in combinations(levels, 2):
        if (earned[one] - earned[other]) * (levels[one] - levels[other]) < 0:
            yield f"{season}: players {one} and {other} have changed places for the next season"
