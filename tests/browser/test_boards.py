"""Moves made on the board with the keyboard alone, in every game; without JavaScript; and what survives news."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from tests.builders import is_asked, make_match, make_user, play_until

pytestmark = pytest.mark.django_db(transaction=True)

GAMES = ("gem", "jewellers", "florentine", "gembatan", "gemessengers")
DEAL = "5a" * 32
MOST_KEYS = 80


@pytest.fixture
def ana() -> User:
    return make_user("ana")


@pytest.fixture
def ben() -> User:
    return make_user("ben")


def sign_in(window: BrowserContext, user: User, url: str) -> None:
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    window.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])


def deal(game: str, ana: User, ben: User) -> Match:
    """A match at which Ana is asked for a move that can be made on the board."""
    options = {"silver": "yes"} if game == "jewellers" else {}
    match = make_match(game, [ana, ben], options=options, server_part=DEAL, now=clock.now())
    is_ready = is_asked(ana)
    if game == "gem":  # a winner takes a card; bids are numbers, which stand in the form
        return play_until(match, lambda reached: is_ready(reached) and '"take"' in reached.position)
    return play_until(match, is_ready)


def own_moves(match: Match, user: User) -> list[str]:
    index = match.seats.get(user=user).index
    return list(match.moves.filter(seat=index, source="web", actor=user).values_list("text", flat=True))


def press_until(page: Page, key: str, selector: str) -> None:
    """Press the key until what has the focus fits."""
    for _ in range(MOST_KEYS):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(key)
    pytest.fail(f"{selector} cannot be reached with {key}")


@pytest.mark.parametrize("game", GAMES)
def test_a_move_on_the_board_with_the_keyboard_alone(
    game: str,
    window: BrowserContext,
    live_server: object,
    complaints: list[str],
    ana: User,
    ben: User,
) -> None:
    match = deal(game, ana, ben)
    before = own_moves(match, ana)
    sign_in(window, ana, str(live_server))
    page = window.new_page()
    page.goto(match.get_absolute_url())
    for _ in range(12):
        if page.locator("button[name=play].primary", has_text=re.compile("^Play .")).count():
            break
        if page.locator(".on-board a").count():
            press_until(page, "Tab", ".on-board a")
        else:
            press_until(page, "Tab", "#move .choices button")
        steps = page.locator(".so-far li").count()
        page.keyboard.press("Enter")
        expect(page.locator(".so-far li")).to_have_count(steps + 1)
    press_until(page, "Tab", "#move button.primary")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Played: ").first).to_be_visible()
    assert len(own_moves(match, ana)) == len(before) + 1
    assert complaints == []
