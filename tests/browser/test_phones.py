"""A phone in the hand, upright and on its side: nothing is too small to hit, and the board shows beside what to do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from gemserver.accounts.models import User
from gemserver.matches import replay
from gemserver.matches.models import Match
from gemserver.ratings import counting
from tests.browser.tables import deal, sign_in
from tests.builders import make_match, make_user, play_to_the_end

pytestmark = pytest.mark.django_db(transaction=True)

FINGER = 40
"""Pixels that whatever stands on a line of its own is high."""

LOW = """finger => [...document.querySelectorAll("main :is(a, button, summary, select), footer :is(a, button)")]
    .filter(place => place.checkVisibility({ visibilityProperty: true }) && !place.closest("svg, p, td, th, .said-by"))
    .filter(place => place.getBoundingClientRect().height < finger - 0.5)
    .map(place => place.outerHTML)"""
"""Finds what is too low for a finger; links in a sentence are as high as its lines."""


@pytest.fixture
def upright(chromium: Browser, live_server: object) -> Iterator[BrowserContext]:
    context = chromium.new_context(
        base_url=str(live_server), viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    yield context
    context.close()


@pytest.fixture
def on_its_side(chromium: Browser, live_server: object) -> Iterator[BrowserContext]:
    context = chromium.new_context(
        base_url=str(live_server), viewport={"width": 667, "height": 375}, has_touch=True, is_mobile=True
    )
    yield context
    context.close()


def open_match(context: BrowserContext, live_server: object, game: str = "gem") -> Page:
    ana = make_user("ana")
    match = deal(game, ana, make_user("ben"))
    sign_in(context, ana, live_server)
    page = context.new_page()
    page.goto(match.get_absolute_url())
    return page


def test_a_finger_hits_whatever_stands_on_its_own_line(upright: BrowserContext, live_server: object) -> None:
    page = open_match(upright, live_server)
    for path in (
        page.url,
        f"{page.url}ply/1/",
        "/games/gem/tutorial/open/",
        "/puzzles/",
        "/you/",
        "/players/ana/",
    ):
        page.goto(path)
        assert page.evaluate(LOW, FINGER) == [], path


def test_the_move_bar_of_a_phone_says_what_is_asked(upright: BrowserContext, live_server: object) -> None:
    page = open_match(upright, live_server)
    question = page.locator("#move .question").inner_text()
    expect(page.locator("#move-bar .hint")).to_have_text(question, use_inner_text=True)
    page.goto("/games/gem/tutorial/open/")
    expect(page.locator("#move-bar .hint")).to_have_text("Open with a bid of 1.", use_inner_text=True)


def test_a_move_written_below_the_board_is_confirmed_in_sight(
    upright: BrowserContext, live_server: object
) -> None:
    page = open_match(upright, live_server)
    match = Match.objects.get()
    asked = match.seats.get(user__username="ana").index
    move = next(iter(match.rules.legal_moves(replay.position(match), asked)))
    page.locator("#text").fill(match.rules.write(move))
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#messages .success")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("width", [390, 1280])
def test_notes_are_confirmed_in_sight(width: int, upright: BrowserContext, live_server: object) -> None:
    page = open_match(upright, live_server)
    page.set_viewport_size({"width": width, "height": 600})
    page.locator("#notes summary").click()
    page.locator("#note").fill("Ben collects emeralds")
    page.locator("#notes button").click()
    expect(page.locator("#messages .success")).to_be_in_viewport(ratio=1)


def test_on_its_side_a_phone_shows_the_board_beside_the_move(
    on_its_side: BrowserContext, live_server: object
) -> None:
    page = open_match(on_its_side, live_server)
    bar, board = page.locator("#move-bar"), page.locator("figure.board")
    expect(bar).to_be_in_viewport(ratio=1)
    board_box, bar_box = board.bounding_box(), bar.bounding_box()
    assert board_box
    assert bar_box
    assert board_box["x"] + board_box["width"] <= bar_box["x"]
    assert board_box["height"] <= 2 * 375
    page.mouse.wheel(0, 300)
    expect(bar).to_be_in_viewport(ratio=1)


def test_a_wrong_try_leaves_board_and_answer_in_sight(upright: BrowserContext) -> None:
    page = upright.new_page()
    page.goto("/games/gem/tutorial/open/?play=1&text=bid+5#lesson")
    expect(page.locator("#answer")).to_be_in_viewport(ratio=1)
    expect(page.locator("#lesson-text p")).to_be_hidden()
    expect(page.locator('#board .on-board a[aria-label="Bid 1"]')).to_be_in_viewport(ratio=1)


def test_what_comes_by_mail_is_read_in_whole_words_on_a_phone(
    upright: BrowserContext, live_server: object
) -> None:
    ana = make_user("ana", language="fr")
    sign_in(upright, ana, live_server)
    page = upright.new_page()
    page.goto("/notifications/")
    for row in page.locator(".channels th[scope=row]").all():
        box = row.bounding_box()
        assert box
        assert box["height"] < 70, row.inner_text()
    for head in page.locator(".channels thead th:visible").all():
        assert head.evaluate("head => head.getBoundingClientRect().right <= innerWidth")


def test_each_way_of_a_match_stands_above_its_choices_on_a_phone(
    upright: BrowserContext, live_server: object
) -> None:
    ana = make_user("ana", language="fr")
    match = deal("gem", ana, make_user("ben"))
    sign_in(upright, ana, live_server)
    page = upright.new_page()
    page.goto(f"{match.get_absolute_url()}notifications/")
    middle = "places => places.map(place => place.getBoundingClientRect()).map(box => box.x + box.width / 2)"
    heads = page.locator(".channels thead th:visible").evaluate_all(middle)
    choices = page.locator(".channels tbody tr:first-child input").evaluate_all(middle)
    assert heads == pytest.approx(choices, abs=3)


def test_how_often_two_met_fits_a_phone(upright: BrowserContext, live_server: object) -> None:
    ana, ben = make_user("ana", language="fr"), make_user("ben")
    play_to_the_end(make_match("gemessengers", [ana, ben]))
    counting.count_finished()
    sign_in(upright, ana, live_server)
    page = upright.new_page()
    page.goto("/players/ben/")
    expect(page.locator("#head-to-head")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_long_name_leaves_tables_readable_on_a_phone(upright: BrowserContext, live_server: object) -> None:
    ana = make_user("ana", language="fr")
    play_to_the_end(make_match(players=[ana, make_user("W" * 30)]))
    counting.count_finished()
    sign_in(upright, ana, live_server)
    page = upright.new_page()
    page.goto("/players/ana/")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#opponents + table tbody th").evaluate("cell => cell.offsetWidth") >= 120


def test_a_newcomer_finds_what_to_know_first_above_the_board(
    upright: BrowserContext, live_server: object, ana: User, ben: User
) -> None:
    match = deal("florentine", ana, ben)
    sign_in(upright, ana, live_server)
    page = upright.new_page()
    page.goto(match.get_absolute_url())
    lead = page.locator("summary", has_text="New to this game?")
    expect(lead).to_be_in_viewport()
    board = page.locator("figure.board").bounding_box()
    where = lead.bounding_box()
    assert board
    assert where
    assert where["y"] < board["y"]
    lead.click()
    expect(
        page.locator("#before-first-move").get_by_role("link", name="Learn it step by step")
    ).to_be_in_viewport()


@pytest.mark.parametrize("held", ["upright", "on_its_side"])
def test_the_menu_of_a_phone_opens_in_its_head(
    held: str, live_server: object, request: pytest.FixtureRequest
) -> None:
    context: BrowserContext = request.getfixturevalue(held)
    page = open_match(context, live_server)
    menu = page.get_by_role("navigation", name="More")
    expect(menu).to_be_hidden()
    page.locator("header summary").tap()
    for link in ("Puzzle", "Events", "Players", "Clubs", "Help"):
        place = menu.get_by_role("link", name=link, exact=True)
        box = place.bounding_box()
        assert box is not None
        assert box["height"] >= FINGER
        expect(place).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    page.locator("header summary").tap()
    page.touchscreen.tap(20, 370)
    expect(menu).to_be_hidden()
    page.locator("header summary").tap()
    menu.get_by_role("link", name="Clubs").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Clubs")
