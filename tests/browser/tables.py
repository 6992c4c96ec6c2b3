"""Running matches for browser tests, and signing a browser in."""

from __future__ import annotations

from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from tests.builders import is_asked, make_match, play_until

GAMES = ("gem", "jewellers", "florentine", "gembatan", "gemessengers")
DEAL = "5a" * 32


def sign_in(window: BrowserContext, user: User, url: object) -> None:
    """Sign this user in at the server with this address."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    window.add_cookies([{"name": name, "value": client.cookies[name].value, "url": str(url)}])


def deal(game: str, ana: User, ben: User) -> Match:
    """A match in which Ana is asked for a move that can be made on the board; the same each time."""
    options = {"silver": "yes"} if game == "jewellers" else {}
    match = make_match(game, [ana, ben], options=options, server_part=DEAL, now=clock.now())
    is_ready = is_asked(ana)
    if game == "gem":  # the winner of an auction takes a card and pays
        return play_until(
            match, lambda reached: is_ready(reached) and '"take"' in reached.position, now=clock.now()
        )
    return play_until(match, is_ready, now=clock.now())
