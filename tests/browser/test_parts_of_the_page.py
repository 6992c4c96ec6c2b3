"""In a browser too, the open page after an action equals the page loaded afresh, and no typing is lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.actions.play.propose_undo import propose_undo
from gemserver.matches.models import Match, Seat
from gemserver.site.match.match_page import PARTS
from tests.browser.tables import sign_in
from tests.builders import make_match, make_user, play

pytestmark = pytest.mark.django_db(transaction=True)

DEAL = "1" * 64
A_LOOK = 21_000
_PARTS_AS_TOLD = """(ids) => Object.fromEntries(ids.map((id) => {
  const part = document.getElementById(id).cloneNode(true);
  for (const field of part.querySelectorAll("[name=csrfmiddlewaretoken], [name=request_id]")) field.remove();
  for (const counted of part.querySelectorAll(".left, output")) counted.remove();
  for (const area of [part, ...part.querySelectorAll("*")]) {
    area.classList.remove("htmx-settling", "htmx-added", "htmx-swapping", "htmx-request");
    if (!area.classList.length) area.removeAttribute("class");
  }
  return [id, part.outerHTML.replace(/\\s+/g, " ")];
}))"""


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    options = {"pace": "sealed"}
    return make_match(players=[ana, ben, make_user("cy")], options=options, server_part=DEAL, now=clock.now())


@pytest.fixture
def page(window: BrowserContext, live_server: object, match: Match, ana: User) -> Page:
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto(match.get_absolute_url())
    return page


def parts(page: Page) -> dict[str, str]:
    told: dict[str, str] = page.evaluate(_PARTS_AS_TOLD, [part for part in PARTS if part != "messages"])
    return told


def expect_as_loaded(page: Page, match: Match) -> None:
    """Expect every part of the open page to equal the page in another tab."""
    page.wait_for_function("!document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')")
    tab = page.context.new_page()
    tab.goto(match.get_absolute_url())
    loaded = parts(tab)
    tab.close()
    shown = parts(page)
    assert [part for part in shown if shown[part] != loaded[part]] == [], (shown, loaded)


def order(page: Page, text: str) -> None:
    if page.locator("#change").count():
        page.locator("#change > summary").click()
    page.locator("#text").fill(text)
    page.locator("#move").get_by_role("button", name=re.compile("^(Play|Seal bid)$")).last.click()


def test_the_sealed_order_on_the_page_is_the_one_that_lies(
    page: Page, match: Match, complaints: list[str]
) -> None:
    panel = page.locator("#move")
    order(page, "bid 2")
    expect(page.get_by_text("Sealed: bid 2.")).to_be_visible()
    expect(panel.get_by_role("heading", name="You sealed bid 2")).to_be_visible()
    expect(panel.locator("#text")).to_be_hidden()
    expect_as_loaded(page, match)
    order(page, "bid 4")
    expect(page.get_by_text("Sealed: bid 4.")).to_be_visible()
    expect(panel.get_by_role("heading", name="You sealed bid 4")).to_be_visible()
    panel.get_by_text("Verify", exact=True).click()
    expect(panel.get_by_text("Checked here in your browser: it fits.")).to_be_visible()
    panel.get_by_text("Verify", exact=True).click()
    expect_as_loaded(page, match)
    assert complaints == []


def test_what_is_typed_elsewhere_stays_while_a_part_is_answered(
    page: Page, match: Match, complaints: list[str]
) -> None:
    page.locator("#said").fill("I am just wri")
    page.locator("#own-notes > summary").click()
    page.locator("#note").fill("Ben bluffs")
    page.locator("#plan-form > summary").click()
    page.locator("#plan").fill("bid 3")
    order(page, "bid 2")
    expect(page.get_by_role("heading", name="You sealed bid 2")).to_be_visible()
    expect(page.locator("#plan")).to_have_value("bid 3")
    expect(page.locator("#plan")).to_be_visible()
    page.locator("#change > summary").click()
    page.locator("#text").fill("bid 1")
    page.get_by_role("button", name="Keep this plan").click()
    expect(page.locator("#orders")).to_contain_text("For day 1 auction 1")
    expect(page.locator("#said")).to_have_value("I am just wri")
    expect(page.locator("#note")).to_have_value("Ben bluffs")
    expect(page.locator("#text")).to_have_value("bid 1")
    page.locator("#note").fill("")
    page.locator("#own-notes > summary").click()
    page.locator("#said").fill("")
    page.locator("#text").fill("")
    page.locator("#change > summary").click()
    page.get_by_role("button", name="Clear the plan").click()
    expect(page.get_by_text("Your plan is gone; you are asked as usual.")).to_be_visible()
    expect_as_loaded(page, match)
    assert complaints == []


def test_a_plan_that_is_refused_stays_in_its_field(page: Page) -> None:
    page.locator("#plan-form > summary").click()
    page.locator("#plan").fill("castle")
    page.get_by_role("button", name="Keep this plan").click()
    expect(page.locator("#plan-refusal")).to_be_visible()
    expect(page.locator("#plan")).to_have_value("castle")


def test_an_undo_that_is_asked_for_comes_in_while_something_is_typed(
    window: BrowserContext, live_server: object, ana: User, ben: User, complaints: list[str]
) -> None:
    match = make_match(players=[ana, ben], server_part=DEAL, now=clock.now())
    first = Seat.objects.select_related("user").get(match=match, index=replay.position(match).oya)
    other = Seat.objects.select_related("user").get(match=match, index=1 - first.index)
    assert first.user
    assert other.user
    play(match, first.index, "bid 1", now=clock.now())
    sign_in(window, other.user, live_server)
    page = window.new_page()
    page.clock.install()
    page.goto(match.get_absolute_url())
    page.locator("#said").fill("wait")
    page.locator("#text").fill("bid")
    propose_undo(match.pk, first.user, now=clock.now())
    page.clock.fast_forward(A_LOOK)
    expect(page.locator("#questions")).to_contain_text(
        re.compile(f"{first.user.username} asks to take a move back")
    )
    expect(page.locator("#news")).to_be_hidden()
    expect(page.locator("#said")).to_have_value("wait")
    expect(page.locator("#text")).to_have_value("bid")
    page.locator("#text").fill("")
    page.locator("#said").fill("")
    page.locator("#questions").get_by_role("button", name="Agree").click()
    expect(page.locator("#questions")).not_to_contain_text("asks to take")
    expect(page.get_by_role("heading", name="Not your turn")).to_be_visible()
    expect_as_loaded(page, match)
    assert complaints == []
