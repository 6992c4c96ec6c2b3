"""Moves made on the board: with the keyboard alone in every game, and by links alone without JavaScript."""

from __future__ import annotations

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
    ready = page.locator("#move-bar button[name=play]:enabled")
    for _ in range(MOST_STEPS):
        move = page.locator("#text").input_value()
        if move and ready.count():
            break
        where = ".on-board a.next" if page.locator(".on-board a.next").count() else "#move .choices button"
        press_until(page, "Tab", where)
        page.keyboard.press("Enter")
        expect(page.locator("#text")).not_to_have_value(move)
    expect(ready).to_be_visible()
    press_until(page, "Tab", "#move-bar button.primary")
    page.keyboard.press("Enter")
    expect(page.locator("#messages .success")).to_contain_text("You ")
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


def test_a_card_is_laid_turned_and_taken_back_with_the_keyboard(page: Page) -> None:
    written = page.locator("#text")
    press_until(page, "Tab", ".on-board a.next")
    page.keyboard.press("Enter")
    if not page.locator(".on-board .laid").count():
        expect(page.locator(".on-board a.next").first).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.locator(".on-board .laid")).to_have_count(1)
    first = written.input_value()
    page.keyboard.press("r")
    expect(written).not_to_have_value(first)
    assert written.input_value().split()[:3] == first.split()[:3], "the same card in the same place"
    page.keyboard.press("Backspace")
    expect(written).to_have_value(first)
    page.keyboard.press("Escape")
    expect(written).to_have_value("")
    expect(page.locator(".on-board .laid")).to_have_count(0)


def test_a_card_is_dragged_to_its_place(page: Page) -> None:
    """A touch on the card that lies there turns it, and the card that is dragged away again is not lost."""
    page.set_viewport_size({"width": 1280, "height": 1400})
    card = page.locator(".on-board a.next rect").first.bounding_box()
    assert card is not None
    page.mouse.move(card["x"] + 20, card["y"] + 20)
    page.mouse.down()
    page.mouse.move(card["x"] + 40, card["y"] - 40, steps=4)
    target = page.locator(".on-board a:is(.next, .chosen) rect").first.bounding_box()
    assert target is not None
    page.mouse.move(target["x"] + 20, target["y"] + 20, steps=4)
    page.mouse.up()
    expect(page.locator(".on-board .laid")).to_have_count(1)
    expect(page.locator("#move-bar button[name=play]")).to_be_enabled()


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
            places = page.locator(".on-board a rect")
            (places if places.count() else page.locator(".choices button")).first.click()
            expect(page.locator(".so-far li")).to_have_count(steps + 1)
        move = page.locator("#text").input_value()
        page.get_by_role("button", name=f"Play {move}").click()
        expect(page.locator("#messages .success")).to_contain_text("You ")
    assert own_moves(match, ana) == [move]
