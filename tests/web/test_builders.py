"""The builders make what they say."""

from __future__ import annotations

import pytest

from gemserver.matches.models import Match
from tests.builders import is_asked, make_match, make_user, play_to_the_end, play_until

pytestmark = pytest.mark.django_db


def test_a_match_runs_until_its_player_is_asked_and_then_to_its_end() -> None:
    ana = make_user("ana")
    match = make_match(players=[ana], bots=2)
    assert match.status == Match.Status.RUNNING
    match = play_until(match, is_asked(ana))
    assert match.seats.get(user=ana).is_waiting
    assert play_to_the_end(match).status == Match.Status.FINISHED
