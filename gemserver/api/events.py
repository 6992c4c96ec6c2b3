"""Leagues and tournaments: their rules and dates, tables and fixtures; open one, enter and withdraw."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Annotated, Any, Literal

from django.db.models import Prefetch
from django.http import HttpRequest
from ninja import Path, Query, Router, Schema
from pydantic import AwareDatetime, Field

from games.contract import seat_letter
from gemserver.accounts.models import User
from gemserver.api.askers import Token, user_of
from gemserver.api.cursors import Cursor, next_cursor, read_cursor
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Done, Exact, Letter, Reported, Strict, Time
from gemserver.events.actions.enter import enter as enter_event
from gemserver.events.actions.open_event import MOST_DAYS_AHEAD, MOST_ROUNDS, open_event
from gemserver.events.actions.report_event import report_event
from gemserver.events.actions.withdraw import withdraw as withdraw_from
from gemserver.events.arithmetic.budget import CLOSING, bank_for
from gemserver.events.arithmetic.points import POINTS
from gemserver.events.arithmetic.tables import Row
from gemserver.events.models import Event, Fixture, Place, Season
from gemserver.events.replacements import answer_until, asked_in
from gemserver.events.seasons import round_days, round_ends_at
from gemserver.events.selectors import (
    divisions_of,
    events_seen_by,
    find_event,
    last_season,
    season_with_table,
)
from gemserver.events.standings import Standings, find_standings
from gemserver.events.words import name_of
from gemserver.lib import clock
from gemserver.matches.clubs import find_club
from gemserver.matches.refusal import Refused

router = Router(tags=["events"])

PER_PAGE = 50
LAST_SEASON = 9999
MOST_OPTIONS = 20
Slug = Annotated[
    str,
    Path(
        description="The short name of the event.",
        pattern=r"^[a-z][a-z0-9-]{0,29}$",
        example="winter-league",
    ),
]
Number = Annotated[
    int | None,
    Query(
        ge=1,
        le=LAST_SEASON,
        description="The number of the season; none: the one that is played, or was last.",
    ),
]
Word = Annotated[str, Field(min_length=1, max_length=30)]


class SeasonShown(Schema):
    """One run of an event."""

    number: int
    state: Literal["entering", "running", "over", "cancelled"]
    opens_at: Time
    starts_at: Time
    ends_at: Time = Field(description="It is over then, whatever is still played.")
    entered: int = Field(description="Players who have entered and not withdrawn.")
    commitment: str = Field(description="SHA-256 of the secret that deals and lots follow from.")
    lots: str | None = Field(
        None,
        description="Once entries are closed, what the numbers of players are drawn by: within a division, in a "
        "tournament over all groups, they stand in the order of the SHA-256 of `lots:entry`. It is the SHA-256 of "
        "`secret|lots|` and the numbers of all entries, the smallest first, with commas between them.",
    )
    secret: str | None = Field(None, description="That secret, once the season is over.")


class QuestionShown(Schema):
    """An organiser's question to you: to go on for a player. `enter` says yes, `withdraw` says no."""

    former: str = Field(description="For whom you would go on.")
    by: str
    reason: str
    until: Time = Field(description="Without an answer by then nothing changes.")


class EventLine(Schema):
    """An event in a list."""

    slug: str = Field(examples=["winter-league"])
    name: str
    game: str
    seats: int = Field(description="Players of a match.")
    format: Literal["league", "tournament", "swiss"]
    club: str | None = Field(None, description="The short name of the club whose members play.")
    closed: bool = Field(description="No further season is played.")
    season: SeasonShown = Field(description="The one that takes entries, is played, or was the last.")
    entered: bool = Field(description="You are in that season.")
    question: QuestionShown | None = Field(None, description="What you are asked there.")


class Events(Schema):
    """Leagues and tournaments, those opened last first."""

    events: list[EventLine]
    next: str | None = Field(
        None, description="Send it as `cursor` for those that follow; null: that was all."
    )


class FixtureClock(Schema):
    """The time of each player for a whole match; nights, weekends and vacations count."""

    bank: int = Field(description="Seconds, for all moves together.")
    closing: int = Field(
        description="Seconds before the end of the round; from then on bots play for everybody."
    )


class EventShown(EventLine):
    """An event with its rules."""

    about: str
    options: dict[str, str] = Field(description="Options of the game.")
    points: list[int] = Field(description="By place; who shares a place has an equal share of the points.")
    tie_breaks: list[str] = Field(
        description="In the order in which they decide.", examples=[["firsts", "lot"]]
    )
    division_size: int = Field(description="About so many players.")
    exchanged: int = Field(description="So many are promoted, and as many relegated.")
    rounds: int
    season_days: int
    entry_days: int = Field(description="Days between two seasons, for entries.")
    rated: bool
    clock: FixtureClock
    round_ends: list[Time] = Field(description="When each round of this season is over at the latest.")
    organisers: list[str]
    seasons: list[SeasonShown] = Field(description="All seasons, the first one first.")


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


class EventSent(Strict):
    """The event that you open."""

    slug: str = Field(min_length=1, max_length=30, description="Small letters, digits and hyphens.")
    name: str = Field(min_length=1, max_length=60)
    about: str = Field("", max_length=2000)
    game: Word
    seats: int = Field(ge=2, le=20, description="Players of a match.")
    options: dict[Word, Word] = Field(default_factory=dict, max_length=MOST_OPTIONS)
    format: Literal["league", "tournament", "swiss"]
    season_days: int | None = Field(
        None,
        ge=1,
        le=1000,
        description="Of all rounds together; none: the shortest that is offered. A refusal names what is.",
        examples=[42],
    )
    starts_at: AwareDatetime = Field(description="When the first season begins.")
    tie_breaks: list[Word] = Field(
        default_factory=list, max_length=10, description="None: the usual ones. Lots are drawn last."
    )
    division_size: int | None = Field(
        None, ge=2, le=100, description="About so many players; none: 7, or 8 at tables of eight."
    )
    exchanged: int = Field(0, ge=0, le=50, description="Promoted from a division of a league, and relegated.")
    rounds: int = Field(1, ge=1, le=MOST_ROUNDS, description="More than one: a Swiss tournament.")
    entry_days: int = Field(7, ge=1, le=MOST_DAYS_AHEAD, description="Days between two seasons, for entries.")
    rated: bool = True
    club: str | None = Field(None, max_length=30, description="A club that you organise: its members play.")


class EventOpened(Schema):
    """An event that was opened."""

    event: str = Field(description="Its short name.")
    repeat: bool = Field(description="True if it had been opened before, under the same key.")


@router.get("/events", response=Events, auth=Token("read"), summary="Events", operation_id="events")
def events(request: HttpRequest, cursor: Cursor = None) -> Events:
    """List leagues and tournaments; those of private clubs are for their members alone."""
    user = user_of(request)
    found = events_seen_by(user)
    rows, following = next_cursor(found, read_cursor(cursor, "events"), "events", PER_PAGE)
    return Events(events=[EventLine(**_describe(row, user)) for row in rows], next=following)


@router.post(
    "/events", response=EventOpened, auth=Token("play"), summary="Open an event", operation_id="open_event"
)
def open_one(request: HttpRequest, body: EventSent, key: Key) -> EventOpened:
    """Open an event and the entries of its first season; you organise it."""
    user = user_of(request)

    def carry_out() -> dict[str, str]:
        terms = body.model_dump(exclude={"format", "rated", "club"})
        club = find_club(body.club, user) if body.club else None
        chosen = Event.Format(body.format)
        opened = open_event(user, **terms, format=chosen, is_rated=body.rated, club=club, now=clock.now())
        return {"event": opened.slug}

    answer, is_repeat = Keyed(request, "open-event", key).once(carry_out)
    return EventOpened(event=answer["event"], repeat=is_repeat)


@router.get(
    "/events/{slug}", response=EventShown, auth=Token("read"), summary="An event", operation_id="event"
)
def event(request: HttpRequest, slug: Slug) -> EventShown:
    """The rules and dates of an event."""
    user = user_of(request)
    found = find_event(slug, user)
    season = last_season(found)
    organisers = found.organisers.select_related("user").order_by("since", "pk")
    return EventShown(
        **_describe(found, user),
        about=found.about,
        options=found.options,
        points=list(POINTS[found.seats]),
        tie_breaks=found.tie_breaks,
        division_size=found.division_size,
        exchanged=found.exchanged,
        rounds=found.rounds,
        season_days=found.season_days,
        entry_days=found.entry_days,
        rated=found.is_rated,
        clock=FixtureClock(
            bank=bank_for(round_days(found), found.seats) // timedelta(seconds=1),
            closing=CLOSING // timedelta(seconds=1),
        ),
        round_ends=[round_ends_at(season, number) for number in range(1, found.rounds + 1)],
        organisers=[each.user.shown_name for each in organisers],
        seasons=[_show_season(each) for each in found.seasons.order_by("number")],
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
        season=_show_season(shown),
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


@router.post(
    "/events/{slug}/report",
    response=Done,
    auth=Token("talk"),
    summary="Report an event",
    operation_id="report_event",
)
def report(request: HttpRequest, slug: Slug, body: Reported, key: Key) -> Done:
    """Ask the moderators to look at the event's name, description or the reasons of its organisers."""
    user = user_of(request)
    found = find_event(slug, user)

    def carry_out() -> None:
        report_event(found.pk, user, body.text, now=clock.now())

    _, is_repeat = Keyed(request, "event-report", key, slug).once(carry_out)
    return Done(repeat=is_repeat)


@router.post(
    "/events/{slug}/enter", response=Done, auth=Token("play"), summary="Enter", operation_id="enter_event"
)
def enter(request: HttpRequest, slug: Slug, key: Key) -> Done:
    """Enter the season that takes entries; or agree to go on for a player of the one that is played, if asked."""
    user = user_of(request)
    found = find_event(slug, user)

    def carry_out() -> None:
        enter_event(found.pk, user, now=clock.now())

    _, is_repeat = Keyed(request, "enter", key, slug).once(carry_out)
    return Done(repeat=is_repeat)


@router.post(
    "/events/{slug}/withdraw",
    response=Done,
    auth=Token("play"),
    summary="Withdraw",
    operation_id="withdraw_from_event",
)
def withdraw(request: HttpRequest, slug: Slug, key: Key) -> Done:
    """Leave the season; or refuse to go on for a player, if asked.

    While it is played bots play on for you, and you are listed last.
    """
    user = user_of(request)
    found = find_event(slug, user)

    def carry_out() -> None:
        withdraw_from(found.pk, user, now=clock.now())

    _, is_repeat = Keyed(request, "withdraw", key, slug).once(carry_out)
    return Done(repeat=is_repeat)


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


def _describe(event: Event, user: User) -> dict[str, Any]:
    season = last_season(event)
    return {
        "slug": event.slug,
        "name": event.name,
        "game": event.game,
        "seats": event.seats,
        "format": event.format,
        "club": event.club.slug if event.club else None,
        "closed": event.closed_at is not None,
        "season": _show_season(season),
        "entered": season.entries.filter(player=user, withdrawn_at=None).exists(),
        "question": _show_question(event, user),
    }


def _show_question(event: Event, user: User) -> QuestionShown | None:
    question = asked_in(event, user, clock.now())
    if question is None:
        return None
    return QuestionShown(
        former=question.former_name,
        by=question.by_name,
        reason=question.reason,
        until=answer_until(question),
    )


def _show_season(season: Season) -> SeasonShown:
    state: Any = season.state
    return SeasonShown(
        number=season.number,
        state=state,
        opens_at=season.opens_at,
        starts_at=season.starts_at,
        ends_at=season.ends_at,
        entered=season.entries.filter(withdrawn_at=None, player__isnull=False).count(),
        commitment=season.commitment,
        lots=season.lots or None,
        secret=season.secret if season.state == Season.State.OVER else None,
    )


def _show_row(standings: Standings, row: Row, user: User) -> TableRow:
    entry = standings.entries[row.player]
    bound = standings.bounds.get(row.player)
    outcome: Any = entry.outcome
    return TableRow(
        place=row.place,
        entry=entry.pk,
        name=name_of(entry),
        you=entry.player_id == user.pk,
        points=_exact(row.points),
        played=row.played,
        tie_breaks=[_exact(value) for value in row.values],
        best=bound.best if bound else None,
        worst=bound.worst if bound else None,
        withdrawn=entry.is_gone,
        outcome=outcome,
    )


def _exact(number: Fraction) -> str:
    return str(number)


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
