"""The last move of every seat is marked on the board, as far as the reader may know it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.matches import replay
from gemserver.matches.models import Match
from tests.builders import make_match, play
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db


def marks(client: Client, match: Match) -> list[str]:
    """The letters of the seats whose last moves are marked."""
    page = client.get(match.get_absolute_url()).content.decode()
    return sorted(set(re.findall(r'<rect class="mark-(\w)"', page)))


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    return make_match("gem", [ana, ben], server_part="5a" * 32)


def test_a_bid_is_marked_in_its_seats_panel_for_everybody(match: Match, ana: User) -> None:
    assert marks(signed_in(ana), match) == []
    first = match.seats.get(is_waiting=True)
    play(match, first.index, "bid 1")
    assert marks(signed_in(ana), match) == marks(Client(), match) == ["AB"[first.index]]


def test_a_pick_that_lies_face_down_is_marked_for_its_player_at_most(ana: User, ben: User) -> None:
    match = make_match("gemessengers", [ana, ben], server_part="5a" * 32)
    rules, state = match.rules, replay.position(match)
    play(match, 0, rules.write(next(rules.legal_moves(state, 0))))
    assert "A" not in marks(signed_in(ben), match)
    assert "A" not in marks(Client(), match)
