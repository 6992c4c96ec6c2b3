"""The organiser whose events are played, and a season of four players that has begun."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.events.actions.start_season import start_season
from gemserver.events.models import Season
from tests.builders import NOON, make_user
from tests.events.leagues import make_event, make_players, season_of


@pytest.fixture
def organiser() -> User:
    return make_user("olga")


@pytest.fixture
def season(organiser: User) -> Season:
    event = make_event(organiser, make_players(4))
    return start_season(season_of(event).pk, by=organiser, now=NOON + timedelta(days=1))
