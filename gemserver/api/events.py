"""Leagues and tournaments: their rules and dates; open one, enter and withdraw."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Path, Router, Schema
from pydantic import AwareDatetime, Field

from games.contract import MOST_SEATS
from gemserver.accounts.models import User
from gemserver.api.askers import Token, user_of
from gemserver.api.cursors import Cursor, next_cursor, read_cursor
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Done, Reported, Strict, Time
from gemserver.events.actions.enter import enter as enter_event
from gemserver.events.actions.event_terms import MOST_DAYS_AHEAD, MOST_ROUNDS, EventTerms
from gemserver.events.actions.open_event import open_event
from gemserver.events.actions.report_event import report_event
from gemserver.events.actions.withdraw import withdraw as withdraw_from
from gemserver.events.arithmetic.budget import CLOSING, bank_for
from gemserver.events.arithmetic.points import POINTS
from gemserver.events.models import Event, Season
from gemserver.events.replacements import answer_until, asked_in
from gemserver.events.seasons import round_days, round_ends_at
from gemserver.events.selectors import events_seen_by, find_event, last_season
from gemserver.lib import clock
from gemserver.matches.clubs.clubs import find_club

router = Router(tags=["events"])

PER_PAGE = 50
MOST_OPTIONS = 20
Slug = Annotated[
    str,
    Path(
        description="The short name of the event.",
        pattern=r"^[a-z][a-z0-9-]{0,29}$",
        example="winter-league",
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
    """An organiser's question to you: to take over from a player. `enter` says yes, `withdraw` says no."""

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


class EventSent(Strict):
    """The event that you open."""

    slug: str = Field(min_length=1, max_length=30, description="Small letters, digits and hyphens.")
    name: str = Field(min_length=1, max_length=60)
    about: str = Field("", max_length=2000)
    game: Word
    seats: int = Field(ge=2, le=MOST_SEATS, description="Players of a match.")
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
        terms = EventTerms(
            **body.model_dump(exclude={"format", "rated", "club"}),
            format=Event.Format(body.format),
            is_rated=body.rated,
            club=find_club(body.club, user) if body.club else None,
        )
        opened = open_event(user, terms, now=clock.now())
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
        seasons=[show_season(each) for each in found.seasons.order_by("number")],
    )


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

    return Keyed(request, "event-report", key, slug=slug).do(carry_out)


@router.post(
    "/events/{slug}/enter", response=Done, auth=Token("play"), summary="Enter", operation_id="enter_event"
)
def enter(request: HttpRequest, slug: Slug, key: Key) -> Done:
    """Enter the season that takes entries; or agree to take over from a player of the one that is played, if asked."""
    user = user_of(request)
    found = find_event(slug, user)

    def carry_out() -> None:
        enter_event(found.pk, user, now=clock.now())

    return Keyed(request, "enter", key, slug=slug).do(carry_out)


@router.post(
    "/events/{slug}/withdraw",
    response=Done,
    auth=Token("play"),
    summary="Withdraw",
    operation_id="withdraw_from_event",
)
def withdraw(request: HttpRequest, slug: Slug, key: Key) -> Done:
    """Leave the season; or refuse to take over from a player, if asked.

    While it is played bots play on for you, and you are listed last.
    """
    user = user_of(request)
    found = find_event(slug, user)

    def carry_out() -> None:
        withdraw_from(found.pk, user, now=clock.now())

    return Keyed(request, "withdraw", key, slug=slug).do(carry_out)


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
        "season": show_season(season),
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


def show_season(season: Season) -> SeasonShown:
    """A season as its players see it; its secret only once it is over."""
    state: Any = season.state
    return SeasonShown(
        number=season.number,
        state=state,
        opens_at=season.opens_at,
        starts_at=season.starts_at,
        ends_at=season.ends_at,
        entered=season.entries.filter(withdrawn_at=None, player__isnull=False).count(),
        commitment=season.commitment,
        lots=season.key_of_lots or None,
        secret=season.secret if season.state == Season.State.OVER else None,
    )
