"""Two people, two browsers: one signs up and opens a table, the other is invited, and they play a match to its end."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from gemserver.matches import selectors
from gemserver.matches.models import Match
from gemserver.notify.models import OutboxMessage
from tests.builders import make_user

pytestmark = pytest.mark.django_db(transaction=True)

MOST_MOVES = 60


def last_mail() -> str:
    """The newest mail of an account, which holds a link or a code."""
    row = OutboxMessage.objects.filter(kind="account").latest("pk")
    return str(row.data["secret"]["text"])


def sign_up(page: Page, name: str) -> None:
    """Sign up, and verify the address with the mailed code."""
    page.goto("/accounts/signup/")
    page.fill("input[name=email]", f"{name}@example.org")
    page.fill("input[name=username]", name)
    page.get_by_role("button", name="Send me the code").click()
    page.wait_for_selector("input[name=code]")
    code = re.search(r"^\s*([A-Z]{4}-[A-Z]{4})\s*$", last_mail(), re.MULTILINE)
    assert code
    page.fill("input[name=code]", code.group(1))
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url(re.compile(r"/$"))


def sign_in(page: Page, name: str) -> None:
    page.goto("/accounts/login/")
    page.fill("input[name=login]", name)
    page.fill("input[name=password]", "password")
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(re.compile(r"/$"))


def test_two_friends_meet_and_play_to_the_end(
    chromium: Browser, window: BrowserContext, live_server: object, complaints: list[str]
) -> None:
    make_user("ben")
    ana = window.new_page()
    sign_up(ana, "ana")
    ana.get_by_role("link", name="Open a table").first.click()
    ana.get_by_role("link", name="Jewellers").click()
    ana.locator("details.more > summary").click()
    ana.get_by_label("only those who are invited or have the link").check()
    ana.locator("details.proof > summary").click()
    ana.get_by_label("Your own part of the deal").fill("seven brown owls")
    ana.get_by_role("button", name="Open the table").click()
    ana.get_by_label("A player's name, or a mail address").fill("ben")
    ana.get_by_role("button", name="Invite").click()
    expect(ana.get_by_text("Invited: ben.")).to_be_visible()
    match = Match.objects.get()
    other = chromium.new_context(base_url=str(live_server))
    ben = other.new_page()
    sign_in(ben, "ben")
    ben.get_by_role("link", name="Jewellers M").click()
    ben.get_by_role("button", name="Sit down").click()
    expect(ben.get_by_text("You sit at the table.")).to_be_visible()
    expect(ana.get_by_text("What happened")).to_be_visible(timeout=20_000)  # the page notices by itself
    pages = {seat.index: page for seat, page in zip(match.seats.order_by("index"), (ana, ben), strict=True)}
    for _ in range(MOST_MOVES):
        match = Match.objects.get()
        if match.is_over:
            break
        seat = match.seats.filter(is_waiting=True).order_by("index")[0]
        texts = selectors.legal_texts(match, seat, 10_000)
        assert texts
        page = pages[seat.index]
        page.goto(match.get_absolute_url())
        page.fill("#text", texts[-1])
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.locator("#messages")).to_contain_text("You ")
    for page in pages.values():
        page.goto(match.get_absolute_url())
        expect(page.get_by_role("heading", name="The end")).to_be_visible()
    assert not Match.objects.get().is_running
    assert complaints == []
    other.close()
