"""Finds events and seasons for a reader, and names what is in them."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.events.models import Division, Entry, Event, Fixture, Organiser, Season
from gemserver.events.rights import may_see, no_such_event, playing
from gemserver.events.words import name_of
from gemserver.matches.refusal import Refused


def events_seen_by(reader: User | None) -> QuerySet[Event]:
    """The events that this reader (None: a stranger) may see: all but those of others' private clubs (`may_see`)."""
    shown = Q(club=None) | Q(club__is_private=False)
    if reader is not None:
        shown |= Q(club__in=reader.memberships.values("club")) | Q(pk__in=playing(reader).values("pk"))
    return Event.objects.filter(shown).select_related("club")


def find_event(slug: str, reader: User | None) -> Event:
    """The event of this short name, in any case; raises Refused(no-such-event), also for one that is not shown."""
    event = Event.objects.select_related("club").filter(slug=slug.lower()).first()
    if event is None or not may_see(event, reader):
        raise no_such_event()
    return event


def run_by_nobody(user: User) -> QuerySet[Event]:
    """The open events of no club that this user organises, and nobody else whose account is open."""
    others = Organiser.objects.filter(event=OuterRef("pk"), user__is_active=True).exclude(user=user)
    mine = Event.objects.filter(organisers__user=user, club=None, closed_at=None)
    return mine.exclude(Exists(others)).order_by("slug")


def last_season(event: Event) -> Season:
    """The season that takes entries, is played, or was the last; every event has one."""
    season = event.seasons.order_by("-number")[0]
    season.event = event
    return season


def season_with_table(event: Event) -> Season | None:
    """The season that is played, else the last that was; None while there was none."""
    states = [Season.State.RUNNING, Season.State.OVER]
    season = event.seasons.filter(state__in=states).order_by("-number").first()
    if season is not None:
        season.event = event
    return season


def divisions_of(season: Season) -> list[Division]:
    """The divisions of a season, the highest first; each has this season."""
    found = list(season.divisions.order_by("level", "number"))
    for division in found:
        division.season = season
    return found


def find_entry(season: Season, name: str, *, level: int | None = None, number: int | None = None) -> Entry:
    """The entry that the season's tables show under this name, in any case, in this division if one is said.

    Raises Refused(no-such-entry, several-players).
    """
    within = {"division__level": level, "division__number": number}
    entries = season.entries.exclude(division=None).select_related("player")
    entries = entries.filter(**{field: value for field, value in within.items() if value is not None})
    wanted = name.strip()
    found = [entry for entry in entries if name_of(entry).casefold() == wanted.casefold()]
    exact = [entry for entry in found if name_of(entry) == wanted]
    if not found:
        raise Refused("no-such-entry", "There is no such player in this season; look at the table.")
    if len(exact or found) > 1:
        raise Refused(
            "several-players",
            "Several players of this season are called {name}; say the level and the division too.",
            name=wanted,
        )
    return (exact or found)[0]


def find_fixture(season: Season, code: str) -> Fixture:
    """The fixture of a season that is played in the match with this code. Raises Refused(no-such-fixture)."""
    found = Fixture.objects.filter(division__season=season, match__code=code).first()
    if found is None:
        raise Refused("no-such-fixture", "There is no such fixture; look at the page of the division.")
    return found


def name_of_division(division: Division) -> str:
    """`division 2`, or in a tournament `group 2`."""
    if division.season.event.format == Event.Format.LEAGUE:
        return gettext("division %(number)d") % {"number": division.level}
    return gettext("group %(number)d") % {"number": division.number}


def path_of(event: Event) -> str:
    """The path of the event's page."""
    return reverse("event", args=[event.slug])
