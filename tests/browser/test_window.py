"""Board, hand and move bar are seen at once: a move needs no scrolling, on a desktop or on a phone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from gemserver.accounts.models import User
from gemserver.lib import clock
from tests.browser.tables import DEAL, GAMES, sign_in
from tests.builders import is_asked, make_match, play_until

pytestmark = pytest.mark.django_db(transaction=True)

SIZES = ((1280, 800), (1440, 900), (390, 844), (360, 740))
LATER = {"gem": 40, "jewellers": 24, "florentine": 30, "gembatan": 36, "gemessengers": 20}
"""Plies after which the board has much on it, in a match of two."""

MEASURE = """() => {
    const picture = document.querySelector("figure.board > svg");
    const frame = picture.getBoundingClientRect();
    const bar = document.querySelector("#move-bar").getBoundingClientRect();
    const isFixed = getComputedStyle(document.querySelector("#move-bar")).position === "fixed";
    const { width, height } = picture.viewBox.baseVal;
    return {
        top: frame.top, fold: frame.top + (picture.dataset.fold || height) * frame.width / width, bottom: frame.bottom,
        bar: [bar.top, bar.bottom], seen: isFixed ? bar.top : innerHeight, window: innerHeight,
        aside: document.documentElement.scrollWidth - innerWidth,
    };
}"""


def measure(page: Page) -> dict[str, Any]:
    """Heights on the screen: of the picture, of what a move needs of it, and of what nothing lies over."""
    page.wait_for_selector(".on-board a.next")
    page.wait_for_timeout(50)
    found: dict[str, Any] = page.evaluate(MEASURE)
    return found


@pytest.mark.parametrize("game", GAMES)
def test_a_move_needs_no_scrolling(
    game: str, window: BrowserContext, live_server: object, ana: User, ben: User
) -> None:
    match = make_match(game, [ana, ben], server_part=DEAL, now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    for ply in (0, LATER[game]):
        match = play_until(
            match, lambda reached, least=ply: is_asked(ana)(reached) and reached.ply >= least, now=clock.now()
        )
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.goto(match.get_absolute_url())
            found = measure(page)
            where = f"{game} at {width}×{height}, ply {match.ply}: {found}"
            assert found["top"] >= 0, where
            assert found["fold"] <= found["seen"], where
            assert found["bar"][0] >= 0, where
            assert found["bar"][1] <= found["window"] + 1, where
            assert found["aside"] <= 0, where


@pytest.mark.parametrize("game", ["gem", "jewellers", "gembatan", "gemessengers"])
def test_a_table_of_two_is_seen_whole_on_a_desktop(
    game: str, window: BrowserContext, live_server: object, ana: User, ben: User
) -> None:
    match = make_match(game, [ana, ben], server_part=DEAL, now=clock.now())
    match = play_until(match, is_asked(ana), now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    for width, height in SIZES[:2]:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(match.get_absolute_url())
        found = measure(page)
        assert found["bottom"] <= found["window"], f"{width}: {found}"


@pytest.mark.parametrize("size", SIZES[:2])
def test_the_board_stays_where_it_is_when_a_move_was_played(
    size: tuple[int, int], window: BrowserContext, live_server: object, ana: User, ben: User
) -> None:
    match = make_match("florentine", [ana, ben], server_part=DEAL, now=clock.now())
    match = play_until(match, lambda reached: is_asked(ana)(reached) and reached.ply >= 2, now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(match.get_absolute_url())
    before = measure(page)["top"]
    page.locator("#move .choices button[value^=discard]").first.click()
    page.locator("#move-bar button[name=play]").click()
    page.wait_for_selector("#messages .success")
    assert page.locator("figure.board").bounding_box()["y"] == before  # type: ignore[index]
    said, status = (page.locator(part).bounding_box() for part in ("#messages li", "#status .left"))
    assert said is not None
    assert status is not None
    assert said["x"] >= status["x"] + status["width"], "what is said covers no deadline"
