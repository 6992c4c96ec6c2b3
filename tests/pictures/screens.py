"""Screens of the embedded server: a match page, two more boards and a mail, each a PNG of at most 150 kB."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.management import call_command
from PIL import Image
from playwright.sync_api import sync_playwright

from gemserver import embedded
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.tables import sign_in
from tests.builders import is_asked, make_match, make_user, play_until
from tests.pictures.layers import ROOT
from tests.services.processes import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

DEAL = "5a" * 32
COLOURS = 256
MATCHES = {"gem": 30, "jewellers": 24, "gembatan": 22}
"""How far each has got."""


def take_screens() -> Iterator[Path]:
    """The pictures, one after the other as they are written."""
    call_command("migrate", verbosity=0, interactive=False)
    players = [make_user(name) for name in ("Ana", "Ben", "Cy")]
    matches = {game: _play(game, players, plies) for game, plies in MATCHES.items()}
    delivery.send_queued()
    server = embedded.EmbeddedServer(free_port(), [0])
    server.start()
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
            url = f"http://{embedded.LOOPBACK}:{server.port}"
            window = browser.new_context(base_url=url, color_scheme="light")
            sign_in(window, players[0], url)
            page = window.new_page()
            yield _page_of(page, matches["gem"])
            yield _board_of(page, matches["jewellers"])
            yield _board_of(page, matches["gembatan"])
            yield _mail_of(page, matches["gem"], players[0])
            browser.close()
    finally:
        server.stop()


def _play(game: str, players: list[User], plies: int) -> Match:
    """A match that got so far and waits for the first player; the same each time, but for its dates."""
    match = make_match(game, players, server_part=DEAL, now=clock.now())
    waits = is_asked(players[0])
    return play_until(match, lambda reached: reached.ply >= plies and waits(reached), now=clock.now())


def _page_of(page: Page, match: Match) -> Path:
    page.set_viewport_size({"width": 1180, "height": 830})
    page.goto(match.get_absolute_url())
    return _keep(page, "match")


def _board_of(page: Page, match: Match) -> Path:
    page.goto(match.get_absolute_url())
    return _keep(page.locator("figure.board"), match.game)


def _mail_of(page: Page, match: Match, reader: User) -> Path:
    sent = OutboxMessage.objects.filter(kind="turn", user=reader, state=OutboxMessage.State.SENT)
    letter = sent.filter(thread=match.thread).latest("pk")
    page.set_viewport_size({"width": 590, "height": 1000})
    page.goto(f"/mail-room/sent/{letter.pk}/html/")
    return _keep(page, "mail")


def _keep(shown: Page | Locator, name: str) -> Path:
    """The picture with a palette, a quarter of the size."""
    path = ROOT / "docs/images" / f"{name}.png"
    with Image.open(BytesIO(shown.screenshot())) as picture:
        picture.convert("RGB").quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
    return path
