"""A player with many matches is told on every page that it is their turn, walks between them, and plays again."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import selectors
from gemserver.matches.models import Match
from tests.browser.tables import GAMES, sign_in
from tests.builders import is_asked, make_match, make_table, make_user, play_to_the_end, play_until

pytestmark = pytest.mark.django_db(transaction=True)

HIDDEN_LOOK = 61_000
"""Milliseconds after which a hidden page has asked for news."""
LIST_LOOK = 31_000


def hide(page: Page, *, is_hidden: bool = True) -> None:
    """Let the page believe that its tab lies behind another."""
    page.evaluate(
        """state => {
          Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        "hidden" if is_hidden else "visible",
    )


def expect_icon(page: Page, name: str) -> None:
    """Wait until the tab bears this icon: after a move the script sets it once htmx is done with the page."""
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile(f"/{re.escape(name)}$"))


def idle(ana: User, ben: User) -> Match:
    """A match in which Ana waits for Ben."""
    return play_until(make_match(players=[ana, ben], now=clock.now()), is_asked(ben), now=clock.now())


def ask(match: Match, user: User) -> None:
    play_until(match, is_asked(user), now=clock.now())


@pytest.fixture
def page(window: BrowserContext, live_server: object, ana: User) -> Page:
    """A page whose clock the test controls; Ana is signed in."""
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.clock.install()
    return page


@pytest.mark.parametrize("path", ["/rules/gem/", "/m/{code}/", "/"])
def test_a_hidden_tab_says_that_it_is_ones_turn(
    page: Page, ana: User, ben: User, path: str, complaints: list[str]
) -> None:
    match = idle(ana, ben)
    page.goto(path.format(code=match.code))
    expect(page.locator("#turns")).to_have_text("Your turn (0)")
    expect(page.locator("#turns a")).to_be_hidden()
    expect_icon(page, "favicon.svg")
    hide(page)
    ask(match, ana)
    page.clock.fast_forward(HIDDEN_LOOK)
    expect(page).to_have_title(re.compile(r"^Your turn \(1\) · [^(]+$"))
    expect(page.locator("#turns a")).to_have_text("Your turn (1)")
    expect_icon(page, "favicon-turn.svg")
    assert page.locator("#turns a").get_attribute("href") == match.get_absolute_url()
    assert complaints == []


def test_who_comes_back_to_the_tab_need_not_wait(page: Page, ana: User, ben: User) -> None:
    match = idle(ana, ben)
    page.goto("/rules/gem/")
    hide(page)
    ask(match, ana)
    hide(page, is_hidden=False)
    expect(page.locator("#turns a")).to_have_text("Your turn (1)")


def test_title_and_icon_are_plain_again_after_the_move(page: Page, ana: User, ben: User) -> None:
    match = play_until(
        make_match("florentine", players=[ana, ben], now=clock.now()), is_asked(ana), now=clock.now()
    )
    page.goto(match.get_absolute_url())
    expect_icon(page, "favicon-turn.svg")
    texts = selectors.legal_texts(match, match.seats.get(user=ana), 100)
    assert texts
    page.fill("#text", texts[0])
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page).to_have_title(re.compile("^Florentine"))
    expect(page.locator("#turns a")).to_be_hidden()
    expect_icon(page, "favicon.svg")


def test_n_and_p_walk_between_the_matches_that_wait(page: Page, ana: User, ben: User) -> None:
    idle(ana, ben)
    codes = []
    for _ in range(3):
        match = make_match(players=[ana, ben], now=clock.now())
        ask(match, ana)
        codes.append(match.code)
    page.goto("/")
    for key, code in zip("nnnnpp", [*codes, codes[0], codes[2], codes[1]], strict=True):
        page.keyboard.press(key)
        page.wait_for_url(f"**/m/{code}/")
    page.locator("#said").press("n")
    expect(page.locator("#said")).to_have_value("n")
    assert page.url.endswith(f"/m/{codes[1]}/")


def test_the_first_page_shows_by_itself_what_has_changed(page: Page, ana: User, ben: User) -> None:
    match = idle(ana, ben)
    page.goto("/")
    page.evaluate("window.isSamePage = true")
    page.locator(f"a[href='{match.get_absolute_url()}'].card-link").focus()
    ask(match, ana)
    page.clock.fast_forward(LIST_LOOK)
    expect(page.locator(".card.waiting")).to_have_count(1)
    expect(page.locator(f"a[href='{match.get_absolute_url()}'].card-link")).to_be_focused()
    assert page.evaluate("window.isSamePage") is True


def test_the_tables_show_by_themselves_what_has_changed_unless_something_is_typed(
    page: Page, ana: User, ben: User
) -> None:
    page.goto("/tables/")
    make_table(seats=3, creator=ben, now=clock.now())
    page.clock.fast_forward(LIST_LOOK)
    expect(page.locator(".card")).to_have_count(1)
    idle(ana, ben)
    page.goto("/matches/?status=running")
    page.locator("#id_player").fill("b")
    idle(ana, ben)
    page.clock.fast_forward(LIST_LOOK)
    expect(page.get_by_role("link", name="The list has changed. Show it.")).to_be_visible()
    expect(page.locator("#id_player")).to_have_value("b")


def test_a_rematch_is_one_button_away(
    page: Page, window: BrowserContext, ana: User, ben: User, complaints: list[str]
) -> None:
    over = play_to_the_end(make_match(players=[ana, ben], now=clock.now()), now=clock.now())
    page.goto(over.get_absolute_url())
    window.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("The address is copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith(over.get_absolute_url())
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda address: not address.endswith(over.get_absolute_url()))
    expect(page.get_by_role("heading", name=Match.objects.latest("pk").code)).to_be_visible()
    assert complaints == []


def test_the_link_of_a_table_is_copied_by_a_button(page: Page, window: BrowserContext, ana: User) -> None:
    table = make_table(seats=2, creator=ana, now=clock.now())
    page.goto(table.get_absolute_url())
    window.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("The address is copied")).to_be_visible()
    link = page.get_by_label("Or give them this link").input_value()
    assert page.evaluate("navigator.clipboard.readText()") == link
    expect(page.locator("#link")).to_be_visible()


LONG = "W" * 30


@pytest.mark.parametrize("game", GAMES)
def test_long_names_make_no_page_scroll_sideways(
    game: str, window: BrowserContext, live_server: object
) -> None:
    long, other = make_user(LONG), make_user(f"{LONG[:-1]}M")
    now = clock.now()
    running = play_until(make_match(game, players=[long, other], now=now), is_asked(long), now=now)
    over = play_to_the_end(make_match(game, players=[other, long], now=now), now=now)
    table = make_table(game, seats=3, creator=long, now=now)
    sign_in(window, long, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    for path in (
        "/",
        running.get_absolute_url(),
        f"{running.get_absolute_url()}ply/{running.ply}/",
        f"{running.get_absolute_url()}deal/",
        f"{running.get_absolute_url()}resign/",
        over.get_absolute_url(),
        table.get_absolute_url(),
        "/tables/",
        "/matches/",
        "/matches/?status=running",
        f"/players/{LONG}/",
        "/you/",
    ):
        page.goto(path)
        too_wide = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert too_wide <= 0, f"{path} is {too_wide} pixels too wide"
