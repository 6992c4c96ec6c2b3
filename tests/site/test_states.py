"""Every page of a match answers in every state of the match: before, while and after it is played."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from django.test import Client

from games import registry
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.leave_table import cancel_table
from gemserver.matches.models import Match, Move
from tests.builders import make_match, make_table
from tests.site.pages import signed_in
from tests.site.routes import every_route

pytestmark = pytest.mark.django_db

PATHS = [route for route in every_route() if route.startswith("m/<str:code>/")]


def make_open(players: list[User]) -> Match:
    match = make_table(seats=3, creator=players[0], now=clock.now())
    join_table(match.pk, players[1], now=clock.now())
    return match


def make_cancelled(players: list[User]) -> Match:
    match = make_open(players)
    cancel_table(match.pk, by=players[0], now=clock.now())
    return match


def make_running(players: list[User]) -> Match:
    return make_match("gem", players, now=clock.now())


def make_over(players: list[User]) -> Match:
    match = make_match("gem", players[:2], now=clock.now())
    resign(match.pk, players[1], source=Move.Source.WEB, request_id="1", now=clock.now())
    return match


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "is_removed"),
    list(product([make_open, make_cancelled, make_running, make_over], [False, True])),
)
def test_no_page_of_a_match_fails(
    make: Callable[[list[User]], Match],
    is_removed: bool,
    players: list[User],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = make(players)
    if is_removed:
        monkeypatch.delitem(registry.GAMES, match.game)
    answers = {
        (path, client is None, status)
        for client in [Client(), *map(signed_in, players)]
        for path in PATHS
        for status in [client.get(fill(path, match)).status_code]
    }
    assert len(answers) > len(PATHS) / 2
    assert {answer for answer in answers if answer[-1] >= 500} == set()


def fill(path: str, match: Match) -> str:
    parts = {
        "str:code": match.code,
        "int:number": "0",
        "int:index": "1",
        "str:token": "unknown",
        "int:pk": "1",
    }
    for name, value in parts.items():
        path = path.replace(f"<{name}>", value)
    return f"/{path}"
