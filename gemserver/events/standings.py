"""Tables of divisions, from what fixtures ended with; nothing of them is stored before a season is over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gemserver.events.arithmetic.bounds import Bound, find_bounds
from gemserver.events.arithmetic.points import first_places
from gemserver.events.arithmetic.rounds import WIN, Game
from gemserver.events.arithmetic.tables import Result, Row, Swiss, TieBreak, make_table
from gemserver.events.models import Correction, Division, Entry, Event, Fixture, Place, Season
from gemserver.matches.models import Match, Seat

Seats = Mapping[int, Sequence[Seat]]
"""The seats of matches that are over, by match, in order."""


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of a division. The players of its rows are entries, by primary key."""

    rows: tuple[Row, ...]
    tie_breaks: tuple[TieBreak, ...]
    entries: Mapping[int, Entry]
    open_fixtures: int
    bounds: Mapping[int, Bound]
    """Places still possible for who has not withdrawn; empty in a Swiss event, whose pairings come later."""


def find_standings(division: Division, *, with_bounds: bool = True) -> Standings:
    """The table as it stands: seven queries, whatever the size."""
    season = division.season
    entries = {entry.pk: entry for entry in division.entries.select_related("player")}
    fixtures = list(division.fixtures.select_related("match"))
    places = _places_by_fixture(fixtures)
    seats = _seats_by_match(fixtures)
    results, still_open = [], []
    for fixture in fixtures:
        result = result_of(fixture, places[fixture.pk], seats)
        if result is None:
            still_open.append(tuple(place.entry_id for place in places[fixture.pk]))
        elif len(result.players) > 1:
            results.append(result)
    gone = {entry.pk for entry in entries.values() if entry.is_gone}
    corrections = _corrections(entries)
    is_swiss = season.event.format == Event.Format.SWISS
    tie_breaks = tuple(TieBreak(name) for name in season.event.tie_breaks)
    rows = make_table(
        list(entries),
        results,
        tie_breaks,
        corrections=corrections,
        listed_last=gone,
        # The lots of a season that is played are nobody's business yet.
        secret=season.secret if season.state == Season.State.OVER else "",
        swiss_rounds=_swiss(entries, fixtures, places, seats) if is_swiss else None,
    )
    if is_swiss or not with_bounds:
        bounds: Mapping[int, Bound] = {}
    elif not still_open:
        bounds = {
            row.player: Bound(row.place, _last_of(row, rows), True) for row in rows if row.player not in gone
        }
    else:
        bounds = _bounds(entries, rows, results, still_open, gone, tie_breaks)
    return Standings(tuple(rows), tie_breaks, entries, len(still_open), bounds)


def result_of(fixture: Fixture, places: Sequence[Place], seats: Seats) -> Result | None:
    """The result of the fixture, by its adjudication or its match; None while it is not decided."""
    players = tuple(place.entry_id for place in places)
    if fixture.adjudicated_at is not None:
        return Result(players, tuple(place.rank or 1 for place in places))
    held = seats.get(fixture.match_id or 0, ())
    ranks = tuple(seat.rank for seat in held if seat.rank is not None)
    if not held or len(ranks) != len(places):
        return None
    scores = tuple(seat.score for seat in held if seat.score is not None)
    return Result(players, ranks, scores if len(scores) == len(places) else None)


def swiss_rounds(division: Division) -> list[list[Game]]:
    """The rounds of a Swiss division that are decided, by starting numbers."""
    fixtures = list(division.fixtures.select_related("match"))
    entries = {entry.pk: entry for entry in division.entries.all()}
    found = _swiss(entries, fixtures, _places_by_fixture(fixtures), _seats_by_match(fixtures))
    return [list(one) for one in found.rounds]


def _swiss(
    entries: Mapping[int, Entry], fixtures: Sequence[Fixture], places: Mapping[int, list[Place]], seats: Seats
) -> Swiss:
    numbers = {pk: 1 + (entry.number or 0) for pk, entry in entries.items()}
    rounds: defaultdict[int, list[Game]] = defaultdict(list)
    for fixture in fixtures:
        result = result_of(fixture, places[fixture.pk], seats)
        if result is None:
            continue
        first, *others = (numbers[player] for player in result.players)
        points = result.table_points[0] if others else WIN
        rounds[fixture.round].append(Game(first, others[0] if others else None, points))
    return Swiss(numbers, [rounds[number] for number in sorted(rounds)])


def _bounds(
    entries: Mapping[int, Entry],
    rows: Sequence[Row],
    results: Sequence[Result],
    still_open: Sequence[Sequence[int]],
    gone: set[int],
    tie_breaks: Sequence[TieBreak],
) -> dict[int, Bound]:
    points = {row.player: row.points for row in rows}
    firsts = dict.fromkeys(points, Fraction(0))
    for result in results:
        for player, share in zip(result.players, first_places(result.ranks), strict=True):
            firsts[player] += share
    counts = bool(tie_breaks) and tie_breaks[0] is TieBreak.FIRSTS
    found = find_bounds(points, still_open, firsts=firsts if counts else None, listed_last=gone)
    return {pk: found[pk] for pk in entries if pk in found}


def _last_of(row: Row, rows: Sequence[Row]) -> int:
    """The last place that a row can have which shares its own with others: lots may be drawn."""
    return row.place + sum(other.place == row.place for other in rows) - 1


def _places_by_fixture(fixtures: Iterable[Fixture]) -> dict[int, list[Place]]:
    found: defaultdict[int, list[Place]] = defaultdict(list)
    for place in Place.objects.filter(fixture__in=[fixture.pk for fixture in fixtures]).order_by("index"):
        found[place.fixture_id].append(place)
    return found


def _seats_by_match(fixtures: Iterable[Fixture]) -> Seats:
    over = [one.match_id for one in fixtures if one.match is not None and one.match.is_over]
    found: defaultdict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(match__in=over, match__status=Match.Status.FINISHED).order_by("index"):
        found[seat.match_id].append(seat)
    return found


def _corrections(entries: Mapping[int, Entry]) -> dict[object, Fraction]:
    total: dict[object, Fraction] = dict.fromkeys(entries, Fraction(0))
    for entry, points in Correction.objects.filter(entry__in=list(entries)).values_list("entry", "points"):
        total[entry] += Fraction(points)
    return total
