"""A match is stepped through without reloads: by keys, slider and swipes, and it plays by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.site.match.ply_page import PART
from tests.browser.tables import DEAL
from tests.browser.touching import Pointer
from tests.builders import make_match, play_to_the_end

pytestmark = pytest.mark.django_db(transaction=True)

A_SHORT_LOOK, A_LONG_LOOK = 1_500, 5_000
"""Milliseconds that each board stays at least and at most when the match plays by itself."""

HIDE = """() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    """A match that takes three parts."""
    match = play_to_the_end(make_match("gem", [ana, ben], server_part=DEAL, now=clock.now()), now=clock.now())
    assert match.ply > 2 * PART
    return match


@pytest.fixture
def page(window: BrowserContext, match: Match) -> Page:
    page = window.new_page()
    page.clock.install()
    page.goto(f"/m/{match.code}/ply/0/")
    page.evaluate("window.isSamePage = true")
    return page


@pytest.fixture
def phone(chromium: Browser, live_server: object, match: Match) -> Iterator[Page]:
    context = chromium.new_context(
        base_url=str(live_server), viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(f"/m/{match.code}/ply/0/")
    page.evaluate("window.isSamePage = true")
    yield page
    context.close()


def expect_ply(page: Page, match: Match, ply: int) -> None:
    """The page shows this ply in all its places, and was not loaded anew."""
    expect(page.locator(".plies .at")).to_have_text(f"{ply} / {match.ply}")
    expect(page.get_by_role("slider")).to_have_value(str(ply))
    expect(page.locator("#move-title")).to_have_text(f"Move {ply}" if ply else "The deal")
    assert page.url.endswith(f"/m/{match.code}/ply/{ply}/")
    assert f"after move {ply} · " in page.title()
    assert page.evaluate("window.isSamePage") is True


def test_the_log_of_the_deal_shows_the_first_moves(page: Page) -> None:
    first = page.locator("#log .log a[data-first='1']")
    expect(first).to_have_text("1")
    inside = """line => {
        const [box, list] = [line, line.closest(".log")].map(one => one.getBoundingClientRect());
        return list.top <= box.top && box.bottom <= list.bottom;
    }"""
    assert first.evaluate(inside)


def test_every_ply_is_fetched_once_however_often_it_is_shown(
    page: Page, match: Match, complaints: list[str]
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition(f"/m/{match.code}/")[2]))
    page.reload()
    page.evaluate("window.isSamePage = true")
    # Each part is waited for: while one is on its way, the steps beyond it go without their boards.
    stops = [*range(PART, match.ply, PART), match.ply, match.ply - 5]
    for before, ply in pairwise([0, *stops]):
        for _ in range(abs(ply - before)):
            page.keyboard.press("ArrowRight" if ply > before else "ArrowLeft")
        expect_ply(page, match, ply)
    page.keyboard.press("Home")
    expect_ply(page, match, 0)
    parts = [f"plies/{first}/" for first in range(0, match.ply + 1, PART)]
    assert sorted(path for path in asked if path) == sorted([*parts, "ply/0/"])
    assert complaints == []


def test_a_step_shows_what_the_page_of_that_ply_shows(page: Page, match: Match) -> None:
    read = """() => ["h1", "#status", "figure.board", "#drawing .words", "#move", ".plies a"].map(name =>
        [...document.querySelectorAll(name)].map(each => [each.textContent.trim(), each.getAttribute("href")]))"""
    ply = PART + 3
    for _ in range(ply):
        page.keyboard.press("ArrowRight")
    expect_ply(page, match, ply)
    current = page.locator(".log [aria-current]")
    expect(current).to_have_count(1)
    stepped, line = page.evaluate(read), current.text_content()
    page.reload()
    assert page.evaluate(read) == stepped
    assert page.locator(".log [aria-current]").text_content() == line


def test_what_is_asked_and_shared_follows_the_ply(page: Page, match: Match) -> None:
    names = page.locator("#pieces dt")
    page.get_by_role("link", name="What is this?").click()
    expect(page.locator(".asked")).to_be_visible()
    dealt = names.all_text_contents()
    page.keyboard.press("End")
    expect_ply(page, match, match.ply)
    expect(page.locator(".asked")).to_be_visible()
    assert names.all_text_contents() != dealt
    page.locator("#share summary").click()
    picture = page.get_by_role("link", name="The board as a picture")
    assert f"/s/{match.code}/{match.ply}.png?" in (picture.get_attribute("href") or "")
    assert f"/s/{match.code}/{match.ply}/?" in page.locator("#embed").input_value()


def test_the_slider_goes_to_any_ply_with_mouse_and_keyboard(page: Page, match: Match) -> None:
    slider = page.get_by_role("slider", name="Move")
    box = slider.bounding_box()
    assert box
    assert box["height"] >= 24
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    expect_ply(page, match, match.ply)
    page.keyboard.press("ArrowLeft")
    expect_ply(page, match, match.ply - 1)
    page.keyboard.press("Home")
    expect_ply(page, match, 0)
    expect(slider).to_be_focused()


def wait_for_step(page: Page) -> int:
    """Let time pass until the match that plays by itself shows its next board; return the milliseconds."""
    at = page.locator(".plies .at")
    before = at.text_content()
    for passed in range(0, 2 * A_LONG_LOOK, 100):
        if at.text_content() != before:
            return passed
        page.clock.run_for(100)
    raise AssertionError(f"It stays at {before}")


def test_a_match_plays_by_itself_to_its_end(page: Page, match: Match, complaints: list[str]) -> None:
    page.clock.pause_at(clock.now() + timedelta(hours=1))
    first = match.ply - 4
    page.get_by_role("slider").fill(str(first))
    expect_ply(page, match, first)
    page.get_by_role("button", name="Play back").click()
    for ply in range(first + 1, match.ply):
        expect_ply(page, match, ply)  # the first one at once
        assert A_SHORT_LOOK <= wait_for_step(page) <= A_LONG_LOOK
    expect_ply(page, match, match.ply)
    expect(page.get_by_role("button", name="Play back")).to_be_visible()
    page.get_by_role("button", name="Play back").click()
    expect_ply(page, match, 0)
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert wait_for_step(page) == A_SHORT_LOOK, "the deal tells nothing that is to be read"
    assert complaints == []


@pytest.mark.parametrize("by", ["button", "key", "slider", "link", "hidden tab"])
def test_what_pauses_a_match_that_plays_by_itself(page: Page, match: Match, by: str) -> None:
    page.get_by_role("button", name="Play back").click()
    expect_ply(page, match, 1)
    ply = 1
    if by == "button":
        page.get_by_role("button", name="Pause").click()
    elif by == "key":
        page.keyboard.press("ArrowRight")
        ply = 2
    elif by == "slider":
        page.get_by_role("slider").fill("7")
        ply = 7
    elif by == "link":
        page.get_by_role("link", name="Later").click()
        ply = 2
    else:
        page.evaluate(HIDE)
    expect(page.get_by_role("button", name="Play back")).to_be_visible()
    page.clock.run_for(2 * A_LONG_LOOK)
    expect_ply(page, match, ply)


def swipe(page: Page, x: int, y: int) -> None:
    box = page.locator("figure.board").bounding_box()
    assert box
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger = Pointer(page)
    finger.press(*at)
    finger.move(at[0] + x, at[1] + y)
    finger.lift()


def test_a_finger_swipes_to_the_next_board_and_back(phone: Page, match: Match) -> None:
    swipe(phone, -120, 10)
    expect_ply(phone, match, 1)
    swipe(phone, -120, 0)
    expect_ply(phone, match, 2)
    swipe(phone, 120, -10)
    expect_ply(phone, match, 1)


def test_a_finger_that_scrolls_or_slips_does_not_step(phone: Page, match: Match) -> None:
    swipe(phone, 120, 0)  # before the deal there is nothing
    swipe(phone, -12, 0)
    swipe(phone, -30, -200)
    phone.wait_for_function("scrollY > 50")
    expect_ply(phone, match, 0)
    phone.wait_for_timeout(1_000)  # until the page stands still
    phone.evaluate("scrollTo(0, 0)")
    swipe(phone, -120, 0)
    expect_ply(phone, match, 1)


def test_without_scripts_there_are_links_and_nothing_that_needs_them(
    chromium: Browser, live_server: object, match: Match
) -> None:
    context = chromium.new_context(base_url=str(live_server), java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/m/{match.code}/ply/0/")
    expect(page.get_by_role("slider")).to_be_hidden()
    expect(page.get_by_role("button", name="Play back")).to_be_hidden()
    page.get_by_role("link", name="Later").click()
    expect(page.locator(".plies .at")).to_have_text(f"1 / {match.ply}")
    context.close()


def test_a_server_that_does_not_answer_leaves_the_plain_pages(page: Page, match: Match) -> None:
    page.route("**/plies/*/", lambda route: route.fulfill(status=503))
    page.reload()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/ply/1/")
    expect(page.locator(".plies .at")).to_have_text(f"1 / {match.ply}")
