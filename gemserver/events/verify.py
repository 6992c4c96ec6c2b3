"""Checks a season that is over against the records of its matches, as anybody could who has these."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from games import deal
from gemserver.events.models import Division, Entry, Event, Fixture, Season
from gemserver.events.seasons import lot_of, make_lots, server_part
from gemserver.events.standings import find_standings
from gemserver.matches import replay
from gemserver.matches.models import Match


def find_faults(season: Season) -> Iterator[str]:
    """Name what is not as it follows from the season's secret, its schedule and the moves of its matches."""
    if season.state != Season.State.OVER:
        return
    if sha256(season.secret.encode()).hexdigest() != season.commitment:
        yield f"season {season.pk}: the secret is not the one that was promised"
    yield from _faults_of_lots(season)
    for division in season.divisions.all():
        division.season = season
        for fixture in division.fixtures.select_related("match", "division").order_by("round", "number"):
            yield from _faults_of_match(fixture, season)
        yield from _faults_of_table(division)


def _faults_of_lots(season: Season) -> Iterator[str]:
    """Like `find_faults`, of the numbers that players drew; those of a Swiss tournament stand by ratings of then."""
    entries = list(season.entries.exclude(division=None).select_related("division"))
    # Those of seasons from before 1.1 were drawn by the commitment.
    if season.key_of_lots not in (season.commitment, make_lots(season, entries)):
        yield f"season {season.pk}: its lots do not follow from its secret and its entries"
    if season.event.format == Event.Format.SWISS:
        return
    is_tournament = season.event.format == Event.Format.TOURNAMENT
    by_number = sorted(entries, key=lambda entry: (_division_of(entry), entry.number or 0))
    by_lot = sorted(
        entries, key=lambda entry: (() if is_tournament else _division_of(entry), lot_of(season, entry))
    )
    if by_number != by_lot:
        yield f"season {season.pk}: its players do not stand as their lots say"


def _division_of(entry: Entry) -> tuple[int, int]:
    assert entry.division is not None
    return entry.division.level, entry.division.number


def _faults_of_match(fixture: Fixture, season: Season) -> Iterator[str]:
    match = fixture.match
    if match is None:
        return
    part = server_part(fixture, season)
    seats = list(match.seats.order_by("index"))
    committed = deal.commitment(match.code, match.game, match.rules_version, match.options, part)
    if match.server_part != part or match.commitment != committed:
        yield f"{match.code}: its deal does not follow from the secret of the season"
    if len(seats) != fixture.places.count():
        yield f"{match.code}: it has not as many seats as the fixture has places"
    if match.ending == Match.Ending.PLAYED_OUT:
        ranks = tuple(match.rules.ranks(replay.position(match)))
        if ranks != tuple(seat.rank for seat in seats):
            yield f"{match.code}: its ranks are not those of its last position"


def _faults_of_table(division: Division) -> Iterator[str]:
    standings = find_standings(division, with_bounds=False)
    for row in standings.rows:
        entry = standings.entries[row.player]
        if entry.final_place != row.place:
            yield f"division {division.pk}: entry {entry.pk} has place {entry.final_place}, the table {row.place}"
