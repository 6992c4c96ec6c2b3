"""Tutorials on a server: what cannot be shown gives way to the rules, and a game that fails stops no match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.test import Client

from games import registry
from gemserver.matches.models import Match
from gemserver.matches.offered import tutorials
from gemserver.matches.offered.asked_rules import ask_rules_of
from tests.builders import make_match, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A game whose package has no tutorial."""
    monkeypatch.setitem(registry.GAMES, "gem", replace(registry.GAMES["gem"], package="games.starter"))
    tutorials._read.cache_clear()
    yield "gem"
    tutorials._read.cache_clear()


def test_a_game_without_a_tutorial_shows_its_rules(bare: str) -> None:
    response = Client().get(f"/games/{bare}/tutorial/")
    assert response.status_code == 302
    assert response["Location"] == f"/rules/{bare}/"
    assert Client().get(f"/games/{bare}/tutorial/open/").status_code == 404
    assert f"/games/{bare}/tutorial/" not in Client().get(f"/practice/{bare}/").content.decode()


def test_a_tutorial_that_does_not_fit_the_rules_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log tells whoever runs the server why."""
    tutorials._read.cache_clear()
    monkeypatch.setattr(registry.GAMES["gem"].rules.__class__, "deal_explicit", _refuse)
    assert tutorials.find_tutorial("gem") is None
    assert "The tutorial of gem cannot be shown" in caplog.text
    tutorials._read.cache_clear()


def _refuse(*args: object, **kwargs: object) -> None:
    raise registry.UnknownGame("no-deal", "There is no such deal.")


def test_a_game_that_fails_in_a_tutorial_stops_no_match(monkeypatch: pytest.MonkeyPatch) -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    assert tutorials.find_tutorial("gem") is not None
    ask_rules_of(match.pk)

    def fail(*args: object) -> None:
        raise tutorials.BrokenGame("gem", "a test")

    monkeypatch.setattr(tutorials, "judge", fail)
    response = Client(raise_request_exception=False).get("/games/gem/tutorial/open/?text=bid+1")
    assert response.status_code == 503
    assert not Match.objects.get(pk=match.pk).stops.exists()
