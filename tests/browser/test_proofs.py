"""The proof of a deal and of a sealed order, computed in a real browser."""

from __future__ import annotations

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from games import deal
from gemserver.accounts.models import User
from gemserver.matches import replay
from gemserver.matches.models import Match, Seat
from tests.builders import make_match, make_user, play, play_to_the_end

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "1" * 64


def as_user(window: BrowserContext, user: User, address: str) -> Page:
    client = Client()
    client.force_login(user)
    window.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": address}])
    return window.new_page()


def test_the_browser_checks_commitment_parts_and_seed_and_notices_another_secret(
    window: BrowserContext, live_server: object, complaints: list[str]
) -> None:
    ana = make_user("ana")
    match = make_match(players=[ana], bots=1, server_part=SECRET)
    Match.objects.filter(pk=match.pk).update(
        commitment=deal.commitment(match.code, "gem", 1, match.options, SECRET)
    )
    Seat.objects.filter(match=match, user=ana).update(part=deal.given_part("seven brown owls"))
    Match.objects.filter(pk=match.pk).update(status="finished", ending="played out")
    page = as_user(window, ana, str(live_server))
    page.goto(f"/m/{match.code}/deal/")
    expect(page.locator("output.fits")).to_have_count(3)
    expect(page.locator("output.fails")).to_have_count(0)
    page.get_by_label("What you gave").fill("seven brown owls")
    expect(page.get_by_text("It makes your part.")).to_be_visible()
    page.get_by_label("What you gave").fill("six brown owls")
    expect(page.get_by_text("It makes another part.")).to_be_visible()
    Match.objects.filter(pk=match.pk).update(server_part="2" * 64)
    page.reload()
    expect(page.locator("output.fails").first).to_have_text("Checked here in your browser: it does NOT fit.")
    assert complaints == []


def test_the_owner_of_a_sealed_order_checks_its_fingerprint_at_once(
    window: BrowserContext, live_server: object, complaints: list[str]
) -> None:
    players = [make_user("ana"), make_user("ben")]
    match = make_match(players=players, options={"pace": "sealed"}, server_part=SECRET)
    oya = replay.position(match).oya
    play(match, oya, "bid 2")
    page = as_user(window, players[oya], str(live_server))
    page.goto(f"/m/{match.code}/")
    page.get_by_text("Verify", exact=True).click()
    expect(page.locator("#move output.fits")).to_have_text("Checked here in your browser: it fits.")
    page.locator("#plan-form > summary").click()
    page.get_by_label("One line for each time it is your turn").fill("always\npass else bid 0 else keep")
    page.get_by_role("button", name="Keep this plan").click()
    expect(page.get_by_text("It holds for as long as you leave it.")).to_be_visible()
    assert complaints == []


def test_a_finished_match_is_proved_on_its_page(window: BrowserContext, live_server: object) -> None:
    match = make_match(players=[make_user("ana")], bots=1)
    play_to_the_end(match)
    page = window.new_page()
    page.goto(f"/m/{match.code}/deal/")
    expect(page.locator("output.fits")).to_have_count(4)
