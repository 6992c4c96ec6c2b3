"""The page of a match keeps up with the table without losing anything that is being typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import BrowserContext, Page, Route, expect

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import ChatMessage, Match, Note, Seat
from tests.browser.tables import deal, sign_in
from tests.builders import play_until

pytestmark = pytest.mark.django_db(transaction=True)

A_LOOK = 21_000
"""Milliseconds after which the page has polled for news."""


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    return deal("jewellers", ana, ben)


@pytest.fixture
def page(window: BrowserContext, live_server: object, match: Match, ana: User) -> Page:
    """The match on Ana's page, whose clock the test controls."""
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.clock.install()
    page.goto(match.get_absolute_url())
    return page


def play_on(match: Match) -> None:
    """Let the match go on, as if Ana moved in another window."""
    reached = Match.objects.get(pk=match.pk)
    play_until(reached, lambda later: later.ply > reached.ply, now=clock.now())


def test_a_page_whose_question_is_kept_is_told_at_once(
    window: BrowserContext, live_server: object, match: Match, ana: User, complaints: list[str]
) -> None:
    """The server is the real one; only the keeping of the question is this test's."""
    sign_in(window, ana, live_server)
    page = window.new_page()
    asked: list[Route] = []

    def keep(route: Route) -> None:
        if "wait=" in route.request.headers.get("prefer", ""):
            asked.append(route)
        else:
            route.continue_()

    page.route("**/progress/", keep)
    page.goto(match.get_absolute_url())
    wait_until(page, lambda: len(asked) == 1)
    play_on(match)
    answer = asked[0].fetch()
    assert answer.status == 200
    asked[0].fulfill(response=answer, headers={**answer.headers, "Preference-Applied": "wait=300"})
    expect(page.locator("#log")).to_contain_text(f"{Match.objects.get(pk=match.pk).ply}")
    wait_until(page, lambda: len(asked) == 2)
    assert asked[1].fetch().status == 304, "the page knows what it was told"
    asked[1].abort()
    assert complaints == []


def wait_until(page: Page, is_true: Callable[[], bool]) -> None:
    """Let the page go on until this holds, for ten seconds at most."""
    for _ in range(100):
        if is_true():
            return
        page.wait_for_timeout(100)
    raise AssertionError("the page has not asked")


def test_news_come_in_while_a_message_is_being_written(
    page: Page, match: Match, ben: User, complaints: list[str]
) -> None:
    page.locator("#said").fill("I am just wri")
    page.locator("#said").evaluate("field => field.setSelectionRange(2, 4)")
    say(match.pk, ben, "hurry up", "1", now=clock.now())
    play_on(match)
    page.clock.fast_forward(A_LOOK)
    expect(page.locator("#talk-said").get_by_text("hurry up")).to_be_visible()
    expect(page.locator("#log")).to_contain_text(f"{Match.objects.get(pk=match.pk).ply}")
    expect(page.locator("#said")).to_have_value("I am just wri")
    expect(page.locator("#said")).to_be_focused()
    assert page.locator("#said").evaluate("field => [field.selectionStart, field.selectionEnd]") == [2, 4]
    assert complaints == []


def test_a_move_that_is_being_built_stays_when_the_match_goes_on(page: Page, match: Match) -> None:
    page.locator(".on-board a").first.click()
    expect(page.locator(".so-far li")).to_have_count(1)
    move = page.locator("#text").input_value()
    play_on(match)
    page.clock.fast_forward(A_LOOK)
    expect(page.get_by_role("link", name="The match has gone on. Show it.")).to_be_visible()
    expect(page.locator("#text")).to_have_value(move)
    page.get_by_role("link", name="The match has gone on. Show it.").click()
    expect(page.locator(".so-far li")).to_have_count(0)


def test_a_touch_counts_though_news_come_while_the_finger_is_down(
    page: Page, match: Match, ben: User
) -> None:
    place = page.locator(".on-board a").first
    place.hover()
    page.mouse.down()
    say(match.pk, ben, "hurry up", "1", now=clock.now())
    page.clock.fast_forward(A_LOOK)
    expect(page.locator("#talk-said").get_by_text("hurry up")).to_be_visible()
    page.mouse.up()
    expect(page.locator(".so-far li")).to_have_count(1)


def test_the_board_of_who_waits_becomes_the_board_of_who_is_asked(
    window: BrowserContext, live_server: object, match: Match, ben: User
) -> None:
    sign_in(window, ben, live_server)
    page = window.new_page()
    page.clock.install()
    page.goto(match.get_absolute_url())
    assert page.locator(".on-board a").count() == 0
    play_until(match, lambda reached: reached.seats.get(user=ben).is_waiting, now=clock.now())
    page.clock.fast_forward(A_LOOK)
    expect(page.get_by_role("heading", name="Your move")).to_be_visible()
    expect(page.locator("#status")).to_contain_text("Your turn")
    expect(page).to_have_title("Your turn (1) · Jewellers " + match.code + " · Gem server")


def test_saying_and_noting_leave_the_rest_of_the_page_alone(page: Page, match: Match, ana: User) -> None:
    page.locator("#text").fill("bid")
    page.locator("#own-notes > summary").click()
    page.locator("#note").fill("Ben bluffs")
    page.locator("#said").fill("Good *luck*")
    page.get_by_role("button", name="Say it").click()
    expect(page.locator("#talk-said em")).to_have_text("luck")
    expect(page.locator("#said")).to_have_value("")
    expect(page.locator("#note")).to_have_value("Ben bluffs")
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_text("Your notes are kept.")).to_be_visible()
    expect(page.locator("#text")).to_have_value("bid")
    assert ChatMessage.objects.get().text == "Good *luck*"
    assert Note.objects.get().text == "Ben bluffs"


def test_what_could_not_be_sent_stays_in_the_field(page: Page, match: Match) -> None:
    page.locator("#said").fill("Good luck")
    page.route("**/talk/", lambda route: route.abort())
    page.get_by_role("button", name="Say it").click()
    expect(
        page.get_by_text("The server did not answer. Nothing you typed is lost; try again.")
    ).to_be_visible()
    expect(page.locator("#said")).to_have_value("Good luck")
    page.unroute("**/talk/")
    page.get_by_role("button", name="Say it").click()
    expect(page.locator("#talk-said").get_by_text("Good luck")).to_be_visible()
    expect(page.locator("#trouble")).to_be_hidden()


def test_the_time_that_is_left_is_counted(
    window: BrowserContext, live_server: object, match: Match, ana: User
) -> None:
    Seat.objects.filter(match=match, user=ana).update(due_at=clock.now() + timedelta(minutes=90, seconds=5))
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.clock.install()
    page.goto(match.get_absolute_url())
    expect(page.locator("#status .left")).to_have_text("(in 90 minutes)")
    page.clock.fast_forward(10 * 60_000)
    expect(page.locator("#status .left")).to_have_text("(in 80 minutes)")


@pytest.mark.parametrize("hours", [0.5, 1.7, 30, 47.2, 71])
def test_the_counter_writes_the_time_that_is_left_as_the_page_and_the_mail_do(
    window: BrowserContext, live_server: object, match: Match, ana: User, hours: float
) -> None:
    seat = match.seats.get(user=ana)
    seat.due_at = clock.now() + timedelta(hours=hours, seconds=5)
    seat.save(update_fields=["due_at"])
    mail = render_to_string("emails/deadline.txt", {"seat": seat})
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto(match.get_absolute_url())
    counted = page.locator("#status .left").inner_text()
    assert counted == re.search(r"\(in .*?\)", mail)[0]


SIGNED_OUT = "You have been signed out."


@pytest.mark.parametrize("cookies", ["sessionid", "csrftoken", ".*"])
def test_who_was_signed_out_meanwhile_signs_in_elsewhere_and_loses_nothing(
    page: Page, window: BrowserContext, match: Match, cookies: str
) -> None:
    page.locator("#said").fill("Good luck")
    page.locator("#text").fill("bid 1")
    window.clear_cookies(name=re.compile(cookies))
    page.get_by_role("button", name="Say it").click()
    if cookies != "csrftoken":
        expect(page.get_by_text(SIGNED_OUT)).to_be_visible()
        expect(page.locator("#trouble")).to_be_hidden()
        assert not ChatMessage.objects.exists()
        with window.expect_page() as opened:
            page.get_by_role("link", name="Sign in in another tab").click()
        tab = opened.value
        tab.fill("input[name=login]", "ana")
        tab.fill("input[name=password]", "password")
        tab.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
        tab.wait_for_url(re.compile(r"/$"))
        expect(page.locator("#said")).to_have_value("Good luck")
        page.get_by_role("button", name="Say it").click()
    expect(page.locator("#talk-said").get_by_text("Good luck")).to_be_visible()
    expect(page.get_by_text(SIGNED_OUT)).to_be_hidden()
    expect(page.locator("#text")).to_have_value("bid 1")


def test_a_button_shows_that_its_answer_is_waited_for(page: Page) -> None:
    held: list[Route] = []
    page.locator("#text").fill("bid 1")
    page.route("**/m/*/", lambda route: held.append(route))
    button = page.get_by_role("button", name="Preview")
    button.click()
    expect(button).to_have_css("opacity", "0.5")
    held[0].continue_()
    expect(page.locator("#text-refusal")).to_be_visible()
    expect(page.locator(".move-bar button").first).to_have_css("opacity", "1")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (390, 640), (844, 390)])
def test_nothing_lies_over_what_a_phone_is_told_when_no_answer_comes(
    page: Page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.locator("#text").fill("bid 1")
    page.route("**/m/*/", lambda route: route.abort())
    page.get_by_role("button", name="Preview").click()
    told = page.locator("#trouble")
    expect(told).to_be_in_viewport(ratio=1)
    on_top = told.evaluate("""told => {
        const box = told.getBoundingClientRect();
        return told.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
    }""")
    assert on_top
    told_box, bar = told.bounding_box(), page.locator(".move-bar").bounding_box()
    assert told_box
    assert bar
    below = told_box["y"] + told_box["height"]
    assert below <= bar["y"] or told_box["y"] >= bar["y"] + bar["height"], "it does not cover the buttons"


def test_a_page_notices_by_itself_that_its_reader_has_been_signed_out(
    page: Page, window: BrowserContext, match: Match
) -> None:
    page.locator("#own-notes > summary").click()
    page.locator("#note").fill("Ben bluffs")
    window.clear_cookies(name="sessionid")
    play_on(match)
    page.clock.fast_forward(A_LOOK)
    expect(page.get_by_text(SIGNED_OUT)).to_be_visible()
    expect(page.locator("#note")).to_have_value("Ben bluffs")


@pytest.mark.parametrize("cookies", ["sessionid", ".*"])
def test_a_guest_whom_the_browser_has_forgotten_is_told_what_to_do(
    window: BrowserContext, cookies: str
) -> None:
    page = window.new_page()
    page.goto("/")
    page.get_by_role("button", name="Play a bot at GEM", exact=True).click()
    page.wait_for_url(re.compile("/m/M"))
    for _ in range(5):
        sweeps.play_bots(Match.objects.get().pk)
    page.reload()
    page.locator("#text").fill("bid 1")
    window.clear_cookies(name=re.compile(cookies))
    page.get_by_role("button", name="Preview").click()
    told = page.get_by_role("alert").filter(
        has_text="This browser has forgotten that you play here as a guest"
    )
    expect(told).to_be_visible()
    expect(told.get_by_role("link", name="sign in in another tab")).to_have_attribute(
        "href", "/accounts/login/"
    )
    expect(told.get_by_role("link", name="start over")).to_have_attribute("href", "/practice/gem/")
    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator("#text")).to_have_value("bid 1")


def test_keys_held_or_pressed_fast_lose_no_step(
    page: Page, match: Match, live_server: object, complaints: list[str]
) -> None:
    match = play_until(match, lambda reached: reached.ply >= 20, now=clock.now())
    page.goto(f"/m/{match.code}/ply/0/")
    page.evaluate("window.isSamePage = true")
    for key, times in (("ArrowRight", 17), ("ArrowLeft", 5)):
        for _ in range(times):
            page.keyboard.press(key)
    expect(page.locator(".plies .at")).to_have_text(f"12 / {match.ply}")
    expect(page).to_have_url(f"{live_server}/m/{match.code}/ply/12/")
    expect(page).to_have_title(re.compile("after move 12"))
    page.get_by_role("link", name="Later").click()
    expect(page.locator(".plies .at")).to_have_text(f"13 / {match.ply}")
    page.locator(".log a", has_text=re.compile("^7$")).click()
    expect(page.locator(".plies .at")).to_have_text(f"7 / {match.ply}")
    assert page.evaluate("window.isSamePage") is True
    assert complaints == []


def test_a_match_is_walked_through_with_the_keys(page: Page, match: Match, complaints: list[str]) -> None:
    match = play_until(match, lambda reached: reached.ply >= 8, now=clock.now())
    page.goto(f"/m/{match.code}/ply/2/")
    for key, ply in (("ArrowRight", 3), ("ArrowLeft", 2), ("ArrowLeft", 1), ("Home", 0), ("End", match.ply)):
        page.keyboard.press(key)
        page.wait_for_url(f"**/ply/{ply}/")
        expect(page.locator(".plies .at")).to_have_text(f"{ply} / {match.ply}")
    assert complaints == []
