"""Playing in a real browser: by clicks, by keyboard, without JavaScript, and by mail."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.receivers import smtp
from gemserver.matches import replay, sweeps
from gemserver.matches.models import Match, SealedOrder
from gemserver.notify import delivery
from tests.browser.tables import sign_in as browse_as
from tests.builders import make_match, play

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(page: Page) -> Match:
    """Sign in as the demo player with one click; return the match."""
    page.goto("/")
    page.get_by_role("button", name="Play as the demo player").click()
    expect(page.get_by_role("heading", name="Your move")).to_be_visible()
    return Match.objects.get()


def own_moves(match: Match) -> list[str]:
    demo = match.seats.get(user__username="demo")
    return list(match.moves.filter(seat=demo.index, source="web").values_list("text", flat=True))


def first_choice(page: Page) -> str:
    """The notation of the first choice."""
    return page.locator("#move .choices button").first.get_attribute("value") or ""


def test_a_move_by_clicks_and_the_bots_answer_appears_by_itself(
    window: BrowserContext, embedded: Settings, complaints: list[str]
) -> None:
    page = window.new_page()
    match = sign_in(page)
    move = first_choice(page)
    page.locator("#move .choices button").first.click()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text(f"Preview of {move}: nothing has been played.")).to_be_visible()
    assert own_moves(match) == []
    page.get_by_role("button", name=f"Play {move}").click()
    expect(page.locator("#messages")).to_contain_text(f"You {move}.")
    assert own_moves(match) == [move]
    for _ in range(20):
        sweeps.play_bots(match.pk)
    expect(page.get_by_role("heading", name="Your move")).to_be_visible()
    assert complaints == []


def test_a_move_with_the_keyboard_alone(window: BrowserContext, embedded: Settings) -> None:
    page = window.new_page()
    match = sign_in(page)
    move = first_choice(page)
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.locator("#text").evaluate("field => field === document.activeElement"):
            break
    page.keyboard.type(move)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Play {move}")).to_be_visible()
    assert own_moves(match) == [], "Enter in the field looks first and does not play"
    page.locator("#text").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text(f"You {move}.")
    assert own_moves(match) == [move]


def test_a_move_without_javascript(chromium: Browser, live_server: object, embedded: Settings) -> None:
    with chromium.new_context(base_url=str(live_server), java_script_enabled=False) as window:
        page = window.new_page()
        match = sign_in(page)
        move = first_choice(page)
        page.locator("#text").fill("castle")
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.locator("#text")).to_have_value("castle")
        page.locator("#text").fill(move)
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.locator("#messages")).to_contain_text(f"You {move}.")
        assert own_moves(match) == [move]


def test_what_is_being_typed_survives_when_the_match_goes_on(
    window: BrowserContext, embedded: Settings
) -> None:
    page = window.new_page()
    page.clock.install()
    match = sign_in(page)
    page.locator("#text").fill("bid")
    play(match, match.seats.get(user__username="demo").index, first_choice(page), now=clock.now())
    page.clock.fast_forward(21_000)
    expect(page.get_by_role("link", name="The match has gone on. Show it.")).to_be_visible()
    expect(page.locator("#text")).to_have_value("bid")


@pytest.fixture
def receiver(embedded: Settings) -> Iterator[smtp.BackgroundReceiver]:
    running = smtp.BackgroundReceiver(smtp.listen("127.0.0.1", 0))
    embedded.SMTP_PORT = running.port
    yield running
    running.stop()


def test_a_move_by_mail_from_the_mail_room(window: BrowserContext, receiver: smtp.BackgroundReceiver) -> None:
    page = window.new_page()
    match = sign_in(page)
    delivery.send_queued()
    page.get_by_role("link", name="Mail room").click()
    page.locator(".mails a").first.click()
    mail = page.frame_locator("iframe")
    picture = mail.locator("img").first
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("complete", value=True)
    assert picture.evaluate("image => image.naturalWidth") > 0
    ready = mail.get_by_role("link", name=re.compile("^(bid|pass|take|keep|invest)")).first
    move = ready.inner_text()
    ready.click()
    expect(page.locator("#id_body")).to_have_value(re.compile(rf"^{move} #\d+\n"))
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("waiting to be read")).to_be_visible()
    processing.process_stored()
    delivery.send_queued()
    expect(page.get_by_text(f"OK: {move}")).to_be_visible()
    assert match.moves.filter(source="mail", text=move).count() == 1


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_limit_is_previewed_and_sealed_by_the_buttons_beside_it_and_those_of_the_bar(
    chromium: Browser, live_server: object, ana: User, ben: User, has_scripts: bool
) -> None:
    window = chromium.new_context(base_url=str(live_server), java_script_enabled=has_scripts)
    match = make_match("jewellers", [ana, ben], options={"pace": "sealed"}, now=clock.now())
    (first,) = match.rules.waiting_on(replay.position(match))
    play(match, first, "draw medium", now=clock.now())
    browse_as(window, ana, live_server)
    page = window.new_page()
    page.goto(match.get_absolute_url())
    page.locator("#limit").fill("7")
    page.locator(".limit").get_by_role("button", name="Preview").click()
    expect(page.locator(".previewed")).to_be_visible()
    assert not SealedOrder.objects.exists()
    page.goto(match.get_absolute_url())
    page.locator("#limit").fill("6")
    page.locator("#limit").press("Enter")
    expect(page.locator(".previewed")).to_be_visible()
    assert not SealedOrder.objects.exists()
    page.goto(match.get_absolute_url())
    page.locator("#limit").fill("8")
    page.locator(".move-bar").get_by_role("button", name="Seal bid").click()
    expect(page.get_by_role("heading", name="You sealed")).to_contain_text("up to 8 else pass")
    window.close()
