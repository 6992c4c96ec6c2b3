"""A match of two at noon, and Eva, the sitter of the player who is to move."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from tests.builders import NOON, THREE_DAYS, make_match, make_user


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user("ana"), make_user("ben")], time_control=THREE_DAYS)


@pytest.fixture
def eva(match: Match) -> User:
    return make_user("eva")
