"""Readers ask what the pieces on a board are: by touch, by keyboard, and without JavaScript."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from gemserver.accounts.models import User
from gemserver.lib import clock
from tests.browser.tables import DEAL, GAMES, deal, sign_in
from tests.builders import is_asked, make_match, make_user, play_until

pytestmark = pytest.mark.django_db(transaction=True)

FIND_UNEXPLAINED = """() => {
  const places = [...document.querySelectorAll(".asked rect")].map((place) => place.getBoundingClientRect());
  const isIn = (x, y) => places.some((box) => x > box.left && x < box.right && y > box.top && y < box.bottom);
  return [...document.querySelectorAll("figure.board > svg:first-child [data-piece]")]
    .filter((piece) => {
      const box = piece.getBoundingClientRect();
      return !isIn(box.left + box.width / 2, box.top + box.height / 2);
    })
    .map((piece) => piece.dataset.piece);
}"""

FIND_COVERED = """() => {
  const answer = document.getElementById("answer").getBoundingClientRect();
  return [...document.querySelectorAll("#move-bar button")]
    .filter((button) => {
      const box = button.getBoundingClientRect();
      return box.left < answer.right && box.right > answer.left && box.top < answer.bottom && box.bottom > answer.top;
    })
    .map((button) => button.textContent.trim());
}"""


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(390, 844), (390, 700), (1280, 800)])
def test_every_piece_of_a_board_can_be_asked_for_and_the_move_stays(
    window: BrowserContext,
    live_server: LiveServer,
    complaints: list[str],
    ana: User,
    ben: User,
    game: str,
    size: tuple[int, int],
) -> None:
    match = deal(game, ana, ben)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(match.get_absolute_url())
    first = page.locator("#board .on-board a.next").first
    expect(first).to_be_visible()
    before = page.locator("#board .on-board a").count()
    page.get_by_role("link", name="What is this?").click()
    expect(page.locator(".asked a").first).to_be_visible()
    assert page.evaluate(FIND_UNEXPLAINED) == []
    assert page.evaluate(FIND_COVERED) == []
    last = page.locator(".asked > a:not([tabindex])").last
    last.click()
    said = page.locator("#what-it-is")
    expect(said.locator("strong")).to_have_text(last.get_attribute("aria-label") or "")
    expect(said.get_by_role("link")).to_be_in_viewport()
    assert page.evaluate(FIND_COVERED) == []
    assert f"/rules/{game}/#rule-" in (said.get_by_role("link").get_attribute("href") or "")
    page.keyboard.press("Escape")
    expect(page.locator(".asked")).to_have_count(0)
    expect(said).to_be_hidden()
    assert page.locator("#board .on-board a").count() == before
    first.click()
    expect(page.locator("#board .on-board a.chosen, #move-bar .built li").first).to_be_attached()
    assert not complaints


def test_asking_with_the_keyboard_alone(
    window: BrowserContext, live_server: LiveServer, ana: User, ben: User
) -> None:
    match = deal("gem", ana, ben)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto(match.get_absolute_url())
    page.get_by_role("link", name="What is this?").press("Enter")
    place = page.locator(".asked a:focus")
    expect(place).to_have_attribute("aria-label", "Day 1 of 6")
    place.press("Enter")
    expect(page.locator("#what-it-is")).to_contain_text("Day 1 of 6")
    place.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator("#what-it-is")).to_contain_text("Day 2 of 6")
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="What is this?")).to_be_focused()


def test_a_spectator_asks_about_a_past_board(window: BrowserContext, ana: User, ben: User) -> None:
    match = deal("jewellers", ana, ben)
    page: Page = window.new_page()
    page.goto(f"/m/{match.code}/ply/0/")
    page.get_by_role("link", name="What is this?").click()
    page.get_by_role("button", name="Square of the gem: medium pearl").click()
    expect(page.locator("#what-it-is")).to_contain_text("worth 5 points")
    page.get_by_role("button", name="Stop asking").click()
    expect(page.locator(".asked")).to_have_count(0)


def test_the_pieces_are_listed_without_javascript(
    chromium: Browser, live_server: LiveServer, ana: User, ben: User
) -> None:
    match = deal("gem", ana, ben)
    context = chromium.new_context(base_url=str(live_server), java_script_enabled=False)
    page = context.new_page()
    page.goto(match.get_absolute_url())
    page.get_by_role("link", name="What is this?").click()
    expect(page.locator("#pieces dt").first).to_be_visible()
    expect(page.locator("#pieces")).to_contain_text("Coin of 3")
    context.close()


FIND_SMALL = """() => [...document.querySelectorAll(".asked a")]
  .map((place) => [place.getAttribute("aria-label"), place.getBoundingClientRect()])
  .filter(([, box]) => Math.min(box.width, box.height) < 24)
  .map(([name, box]) => `${name} ${box.width} ${box.height}`)"""
WIDTH = "board => board.getBoundingClientRect().width"
LATER = {"gem": 40, "jewellers": 24, "florentine": 30, "gembatan": 18, "gemessengers": 20}


@pytest.mark.parametrize("game", GAMES)
def test_late_in_a_match_of_four_every_piece_is_large_enough_for_a_finger(
    window: BrowserContext, live_server: LiveServer, ana: User, ben: User, game: str
) -> None:
    players = [ana, ben, make_user("cid"), make_user("dee")]
    match = make_match(game, players, server_part=DEAL, now=clock.now())
    is_late = lambda reached: reached.ply >= LATER[game] and is_asked(ana)(reached)  # noqa: E731
    match = play_until(match, is_late, now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    for path in (match.get_absolute_url(), f"{match.get_absolute_url()}ply/{LATER[game]}/"):
        page.goto(path)
        width = page.locator("figure.board > svg").first.evaluate(WIDTH)
        page.get_by_role("link", name="What is this?").click()
        expect(page.locator(".asked a").first).to_be_attached()
        assert page.evaluate(FIND_SMALL) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        last = page.locator(".asked > a:not([tabindex])").last
        last.click()
        expect(page.locator("#what-it-is strong")).to_have_text(last.get_attribute("aria-label") or "")
        page.keyboard.press("Escape")
        assert page.locator("figure.board > svg").first.evaluate(WIDTH) == width


def test_a_step_by_keyboard_keeps_the_focus_on_the_board(
    window: BrowserContext, live_server: LiveServer, ana: User, ben: User
) -> None:
    match = deal("gem", ana, ben)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto(f"{match.get_absolute_url()}ply/0/")
    page.get_by_role("link", name="What is this?").press("Enter")
    place = page.locator(".asked a:focus")
    place.press("Tab")
    name = place.get_attribute("aria-label")
    for ply, key in ((1, "ArrowRight"), (2, "ArrowRight"), (1, "ArrowLeft")):
        page.keyboard.press(key)
        expect(page.locator(".plies .at")).to_have_text(f"{ply} / {match.ply}")
        expect(place).to_have_attribute("aria-label", name or "")
    place.press("Enter")
    expect(page.locator("#what-it-is strong")).to_have_text(name or "")
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="What is this?")).to_be_focused()
