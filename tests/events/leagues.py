"""Makes events for tests, by the actions that organisers use."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from gemserver.accounts.models import User
from gemserver.events import sweeps
from gemserver.events.actions.enter import enter
from gemserver.events.actions.event_terms import EventTerms
from gemserver.events.actions.open_event import open_event
from gemserver.events.models import Entry, Event, Fixture, Season
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from tests.builders import NOON, make_user, play_to_the_end

START = NOON + timedelta(days=7)


def make_players(count: int) -> list[User]:
    return [make_user(f"player{number:02}") for number in range(count)]


def make_event(
    organiser: User, players: Sequence[User] = (), *, now: datetime = NOON, **fields: Any
) -> Event:
    """A league of Gembatan at tables of four, unless `fields` say otherwise; the players enter it."""
    given: dict[str, Any] = {
        "slug": "league",
        "name": "League",
        "game": "gembatan",
        "seats": 4,
        "format": Event.Format.LEAGUE,
        "season_days": 42,
        "starts_at": START,
    }
    event = open_event(organiser, EventTerms(**given | fields), now=now)
    for player in players:
        enter(event.pk, player, now=now)
    return event


def hold(monkeypatch: pytest.MonkeyPatch, now: datetime) -> None:
    """Let the sweep of events look at this instant, which stays the present."""
    monkeypatch.setattr(clock, "now", lambda: now)
    sweeps.hold_events()


def season_of(event: Event, number: int = 1) -> Season:
    return event.seasons.get(number=number)


def fixtures_of(season: Season) -> list[Fixture]:
    return list(Fixture.objects.filter(division__season=season).select_related("match").order_by("pk"))


def play_all(season: Season, *, now: datetime, most: int | None = None) -> None:
    """Play the running matches of a season to their ends at random, or so many of them."""
    for fixture in fixtures_of(season)[:most]:
        if fixture.match is not None and Match.objects.get(pk=fixture.match.pk).is_running:
            play_to_the_end(fixture.match, now=now, variant=str(fixture.pk))


def order_by_lot(season: Season, lots: str) -> list[Entry]:
    """The entries as the lots of a season draw them."""
    return sorted(season.entries.all(), key=lambda entry: sha256(f"{lots}:{entry.pk}".encode()).hexdigest())


def code_of(call: Any, *args: Any, **kwargs: Any) -> str:
    """The code of the refusal that the call raises."""
    with pytest.raises(Refused) as refusal:
        call(*args, **kwargs)
    assert refusal.value.text()
    return refusal.value.code
