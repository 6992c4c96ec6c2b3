"""A match for moderators to look at."""

from __future__ import annotations

import pytest

from gemserver.lib import clock
from gemserver.matches.models import Match, Seat
from tests import builders


@pytest.fixture
def match() -> Match:
    """Ana, Ben and Cy at GEM, just begun."""
    players = [builders.make_user(name) for name in ("ana", "ben", "cy")]
    return builders.make_match(players=players, now=clock.now())


@pytest.fixture
def asked(match: Match) -> Seat:
    return builders.asked(match)
