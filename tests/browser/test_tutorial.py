"""A tutorial in a browser: on the board by touch, and with forms and links alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

pytestmark = pytest.mark.django_db(transaction=True)

STEP = "/games/gem/tutorial/open/"


def test_a_step_is_answered_on_the_board(window: BrowserContext, complaints: list[str]) -> None:
    page = window.new_page()
    page.goto(STEP)
    chips = page.locator("#board .on-board a.next")
    chips.nth(4).click()
    page.locator("#move-bar [name=play]").click()
    expect(page.locator("#answer")).to_contain_text("Open with 1.")
    assert page.locator("#text").input_value() == "bid 4"
    page.locator("#board .on-board a.next").nth(1).click()
    page.locator("#move-bar [name=play]").click()
    expect(page.locator("#lesson")).to_contain_text("Right")
    page.get_by_role("link", name="Next step").click()
    expect(page.locator("#lesson")).to_contain_text("Take a card and pay")
    assert complaints == []


def test_what_is_to_do_is_seen_first_on_a_phone(window: BrowserContext) -> None:
    page = window.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(STEP)
    expect(page.locator("#lesson").get_by_text("Open with a bid of 1.")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto("/games/gem/tutorial/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_step_is_answered_without_javascript(chromium: Browser, live_server: object) -> None:
    context = chromium.new_context(base_url=str(live_server), java_script_enabled=False)
    page = context.new_page()
    page.goto("/games/gem/tutorial/take/")
    page.locator(".on-board a", has_text="SS").first.click()
    page.locator("button[value='take SS pay 1']").click()
    page.locator("button[name=play]").click()
    expect(page.locator("#lesson")).to_contain_text("Right")
    context.close()
