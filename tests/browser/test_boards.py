"""Moves made on the board: with the keyboard alone in every game, and by links alone without JavaScript."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from gemserver.accounts.models import User
from gemserver.matches.models import Match
from tests.browser.tables import GAMES, deal, sign_in

pytestmark = pytest.mark.django_db(transaction=True)

MOST_KEYS = 80
MOST_STEPS = 12


def own_moves(match: Match, user: User) -> list[str]:
    return list(match.moves.filter(source="web", actor=user).order_by("ply").values_list("text", flat=True))


def press_until(page: Page, key: str, selector: str) -> None:
    """Press the key until the focused element matches the selector."""
    for _ in range(MOST_KEYS):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(key)
    pytest.fail(f"{selector} cannot be reached with {key}")


@pytest.mark.parametrize("game", GAMES)
def test_a_move_on_the_board_with_the_keyboard_alone(
    game: str, window: BrowserContext, live_server: object, complaints: list[str], ana: User, ben: User
) -> None:
    match = deal(game, ana, ben)
    before = own_moves(match, ana)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto(match.get_absolute_url())
    assert page.locator(".on-board a").count() > 0, "the move begins on the board"
    ready = page.locator("button[name=play].primary", has_text=re.compile("^Play .", re.DOTALL))
    for _ in range(MOST_STEPS):
        if ready.count():
            break
        where = ".on-board a" if page.locator(".on-board a").count() else "#move .choices button"
        press_until(page, "Tab", where)
        steps = page.locator(".so-far li").count()
        page.keyboard.press("Enter")
        expect(page.locator(".so-far li")).to_have_count(steps + 1)
    expect(ready).to_be_visible()
    move = page.locator("#text").input_value()
    press_until(page, "Tab", "#move button.primary")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Played: {move}.")).to_be_visible()
    assert own_moves(match, ana) == [*before, move]
    assert complaints == []


@pytest.fixture
def page(window: BrowserContext, live_server: object, ana: User, ben: User) -> Page:
    """A match of Florentine, as the player to move sees it."""
    match = deal("florentine", ana, ben)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto(match.get_absolute_url())
    return page


def test_the_last_step_is_undone_with_the_keyboard(page: Page) -> None:
    press_until(page, "Tab", ".on-board a")
    for steps in (1, 2):
        page.keyboard.press("Enter")
        expect(page.locator(".so-far li")).to_have_count(steps)
        expect(page.locator(".on-board a").first).to_be_focused()
    press_until(page, "Tab", ".so-far button")
    page.keyboard.press("Enter")
    expect(page.locator(".so-far li")).to_have_count(1)
    assert page.locator("#text").input_value().count(" ") == 1


def test_the_next_step_may_follow_the_moment_the_board_is_there(page: Page) -> None:
    """The page is not reloaded, which would lose the keyboard focus on the board."""
    page.evaluate("""() => {
        window.isSamePage = true;
        const choose = () => document.querySelector(".on-board a")
            .dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
        document.addEventListener("htmx:afterRequest", () => setTimeout(choose), { once: true });
        choose();
    }""")
    expect(page.locator(".so-far li")).to_have_count(2)
    assert page.evaluate("window.isSamePage") is True


@pytest.mark.parametrize("game", ["florentine", "gembatan"])
def test_a_move_on_the_board_without_javascript(
    game: str, chromium: Browser, live_server: object, ana: User, ben: User
) -> None:
    match = deal(game, ana, ben)
    with chromium.new_context(base_url=str(live_server), java_script_enabled=False) as window:
        sign_in(window, ana, live_server)
        page = window.new_page()
        page.goto(match.get_absolute_url())
        for _ in range(MOST_STEPS):
            if page.locator(".previewed").count():
                break
            steps = page.locator(".so-far li").count()
            page.locator(".on-board a rect").first.click()
            expect(page.locator(".so-far li")).to_have_count(steps + 1)
        move = page.locator("#text").input_value()
        page.get_by_role("button", name=f"Play {move}").click()
        expect(page.get_by_text(f"Played: {move}.")).to_be_visible()
    assert own_moves(match, ana) == [move]
