"""Nobody decides in a division in which they play, or sit for somebody."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.events.actions.adjudicate_fixture import adjudicate_fixture
from gemserver.events.actions.correct_points import correct_points
from gemserver.events.actions.replace_player import propose_replacement
from gemserver.events.models import Organiser, Season
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, end_sitting, propose_sitting
from tests.builders import NOON, make_user
from tests.events.leagues import code_of, fixtures_of

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(days=2)


def test_who_plays_in_a_division_decides_nothing_in_it(season: Season, organiser: User) -> None:
    player = season.entries.all()[0].player
    assert player is not None
    Organiser.objects.create(event=season.event, user=player, since=NOON)
    fixture, entry = fixtures_of(season)[0], season.entries.all()[1]
    by: dict[str, Any] = {"by": player, "reason": "I say so.", "now": LATER}
    assert code_of(adjudicate_fixture, fixture.pk, [1, 2, 3, 4], **by) == "plays-here"
    assert code_of(correct_points, entry.pk, Decimal(1), request_key="r", **by) == "plays-here"
    assert code_of(propose_replacement, entry.pk, make_user("new"), **by) == "plays-here"
    player.role = Role.ADMINISTRATOR
    player.save()
    assert code_of(adjudicate_fixture, fixture.pk, [1, 2, 3, 4], **by) == "plays-here"
    stranger: dict[str, Any] = {"by": make_user("stranger"), "reason": "Hm.", "now": LATER}
    assert code_of(adjudicate_fixture, fixture.pk, [1, 2, 3, 4], **stranger) == "not-organiser"


def test_who_sits_in_a_match_of_a_division_decides_nothing_in_it(season: Season, organiser: User) -> None:
    fixture = fixtures_of(season)[0]
    assert fixture.match is not None
    player = fixture.match.seats.get(index=0).user
    assert player is not None
    sitting = propose_sitting(
        fixture.match_id, player, organiser.username, LATER.date(), LATER.date(), now=LATER
    )
    by: dict[str, Any] = {"by": organiser, "reason": "I say so.", "now": LATER}
    agree_to_sit(sitting.pk, organiser, now=LATER)
    assert code_of(adjudicate_fixture, fixture.pk, [1, 2, 3, 4], **by) == "plays-here"
    end_sitting(sitting.pk, player, now=LATER)
    assert code_of(adjudicate_fixture, fixture.pk, [1, 2, 3, 4], **by) == "plays-here"
