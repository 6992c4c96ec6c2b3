"""The tables and fixtures of a season."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.db.models import Prefetch
from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from games.contract import seat_letter
from gemserver.accounts.models import User
from gemserver.api.askers import Token, user_of
from gemserver.api.cursors import Cursor, next_cursor, read_cursor
from gemserver.api.events import SeasonShown, Slug, show_season
from gemserver.api.shapes import Exact, Letter
from gemserver.events.arithmetic.tables import Row
from gemserver.events.models import Event, Fixture, Place, Season
from gemserver.events.selectors import divisions_of, find_event, season_with_table
from gemserver.events.standings import Standings, find_standings
from gemserver.events.words import name_of
from gemserver.matches.refusal import Refused

router = Router(tags=["events"])

PER_PAGE = 50
LAST_SEASON = 9999
Number = Annotated[
    int | None,
    Query(
        ge=1,
        le=LAST_SEASON,
        description="The number of the season; none: the one that is played, or was last.",
    ),
]


class TableRow(Schema):
    """A player's line in a table."""

    place: int = Field(description="Equal players share one: 1 1 3.")
    entry: int = Field(description="The number of the entry, by which lots are drawn.")
    name: str
    you: bool
    points: Exact
    played: int
    tie_breaks: list[Exact] = Field(description="Values in the order of `tie_breaks`; more is better.")
    best: int | None = Field(None, description="The best place that is still possible; null: nobody can say.")
    worst: int | None = None
    withdrawn: bool = Field(description="A bot plays on, and the player is listed last.")
    outcome: Literal["", "stays", "promoted", "relegated"]


class Table(Schema):
    """The table of a division."""

    level: int = Field(description="1 is the highest; groups of a tournament are all of level 1.")
    number: int = Field(description="Among the divisions of its level.")
    tie_breaks: list[str]
    open_fixtures: int
    rows: list[TableRow]


class StandingsShown(Schema):
    """The tables of a season, the highest division first."""

    season: SeasonShown
    divisions: list[Table]


class FixturePlaceShown(Schema):
    """A player of a fixture; seat A begins."""

    seat: Letter
    name: str
    you: bool
    rank: int | None = Field(None, description="1 is best; null while it is played.")


class FixtureShown(Schema):
    """Players who play a match."""

    level: int
    division: int
    round: int
    number: int
    match: str | None = Field(None, description="The code of its match; null: not opened yet, or a bye.")
    state: Literal["waiting", "running", "over"]
    adjudicated: bool = Field(description="An organiser's ranks count, or it is a bye.")
    reason: str = Field(description="Of the adjudication.")
    places: list[FixturePlaceShown]


class Fixtures(Schema):
    """Fixtures of a season, those drawn up last first."""

    season: int
    fixtures: list[FixtureShown]
    next: str | None = Field(
        None, description="Send it as `cursor` for those that follow; null: that was all."
    )


@router.get(
    "/events/{slug}/standings",
    response=StandingsShown,
    auth=Token("read"),
    summary="Standings",
    operation_id="standings",
)
def standings(request: HttpRequest, slug: Slug, season: Number = None) -> StandingsShown:
    """The tables of a season that has begun, with the places that are still possible."""
    user = user_of(request)
    shown = _season(find_event(slug, user), season)
    tables = [(division, find_standings(division)) for division in divisions_of(shown)]
    return StandingsShown(
        season=show_season(shown),
        divisions=[
            Table(
                level=division.level,
                number=division.number,
                tie_breaks=[str(tie_break) for tie_break in found.tie_breaks],
                open_fixtures=found.open_fixtures,
                rows=[_show_row(found, row, user) for row in found.rows],
            )
            for division, found in tables
        ],
    )


@router.get(
    "/events/{slug}/fixtures",
    response=Fixtures,
    auth=Token("read"),
    summary="Fixtures",
    operation_id="fixtures",
)
def fixtures(
    request: HttpRequest,
    slug: Slug,
    season: Number = None,
    mine: Annotated[bool, Query(description="Only those in which you play.")] = False,
    cursor: Cursor = None,
) -> Fixtures:
    """The fixtures of a season that has begun, with their matches."""
    user = user_of(request)
    shown = _season(find_event(slug, user), season)
    places = Place.objects.select_related("entry__player").order_by("index")
    found = Fixture.objects.filter(division__season=shown).select_related("match", "division")
    found = found.prefetch_related(Prefetch("places", places), "match__seats")
    if mine:
        found = found.filter(places__entry__player=user)
    rows, following = next_cursor(found, read_cursor(cursor, "fixtures"), "fixtures", PER_PAGE)
    return Fixtures(season=shown.number, fixtures=[_show_fixture(row, user) for row in rows], next=following)


def _season(event: Event, number: int | None) -> Season:
    """The season of this number, else the one with a table. Raises Refused(no-such-season)."""
    if number is None:
        season = season_with_table(event)
    else:
        begun = [Season.State.RUNNING, Season.State.OVER]
        season = event.seasons.filter(number=number, state__in=begun).first()
    if season is None:
        raise Refused("no-such-season", "There is no such season, or it has not begun; look at the event.")
    season.event = event
    return season


def _show_row(standings: Standings, row: Row, user: User) -> TableRow:
    entry = standings.entries[row.player]
    bound = standings.bounds.get(row.player)
    outcome: Any = entry.outcome
    return TableRow(
        place=row.place,
        entry=entry.pk,
        name=name_of(entry),
        you=entry.player_id == user.pk,
        points=str(row.points),
        played=row.played,
        tie_breaks=[str(value) for value in row.values],
        best=bound.best if bound else None,
        worst=bound.worst if bound else None,
        withdrawn=entry.is_gone,
        outcome=outcome,
    )


def _show_fixture(fixture: Fixture, user: User) -> FixtureShown:
    match, is_adjudicated = fixture.match, fixture.adjudicated_at is not None
    seats = {seat.index: seat for seat in match.seats.all()} if match else {}
    state: Literal["waiting", "running", "over"] = "waiting"
    if is_adjudicated or (match is not None and match.is_over):
        state = "over"
    elif match is not None:
        state = "running"
    shown = []
    for place in fixture.places.all():
        rank = place.rank if is_adjudicated else seats[place.index].rank if place.index in seats else None
        shown.append(
            FixturePlaceShown(
                seat=seat_letter(place.index),
                name=name_of(place.entry),
                you=place.entry.player_id == user.pk,
                rank=rank,
            )
        )
    return FixtureShown(
        level=fixture.division.level,
        division=fixture.division.number,
        round=fixture.round,
        number=fixture.number,
        match=match.code if match else None,
        state=state,
        adjudicated=is_adjudicated,
        reason=fixture.reason,
        places=shown,
    )
