"""Pages of the lobby in both widths and colour schemes follow WCAG; a first visit becomes an account."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django import Settings

from games import deal
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.actions.seats.hand_over import give_to_bot
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.models import Invitation, Match
from gemserver.notify.models import OutboxMessage
from tests.browser.test_accessibility import axe, find_faults
from tests.browser.test_looks import folder, picture
from tests.builders import is_asked, make_match, make_table, make_user, play_to_the_end, play_until
from tests.quick import IS_LONG

pytestmark = pytest.mark.django_db(transaction=True)

__all__ = ["axe", "folder"]


def sign_in(page: Page, name: str) -> None:
    page.goto("/accounts/login/")
    page.fill("input[name=login]", name)
    page.fill("input[name=password]", "password")
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(re.compile(r"/$"))


def test_pages_of_the_lobby(window: BrowserContext, complaints: list[str], folder: Path, axe: str) -> None:
    now = clock.now()
    ana, ben, cy = (make_user(name) for name in ("ana", "ben", "cy"))
    for game, seats in (("gem", 4), ("jewellers", 6), ("florentine", 3)):
        make_table(game, seats=seats, creator=ben, now=now)
    mine = make_table("gembatan", seats=3, creator=ana, access=Match.Access.INVITED, now=now)
    invite(mine.pk, ana, "cy", now=now)
    invite(mine.pk, ana, "dee@example.net", now=now)
    offered = invite(make_table("gemessengers", seats=3, creator=cy, now=now).pk, cy, "ana", now=now)
    play_to_the_end(make_match(players=[ana, ben], bots=1, now=now), now=now)
    play_until(make_match(players=[ana, ben], now=now), is_asked(ana), now=now)
    abandoned = make_match("gembatan", players=[ben, cy], now=now)
    give_to_bot(abandoned, abandoned.seats.get(user=cy), now=now)
    page = window.new_page()
    faults: list[str] = []

    def visit(paths: dict[str, str]) -> None:
        for number, (name, path) in enumerate(paths.items()):
            page.goto(path)
            picture(page, f"lobby-{name}", folder)
            faults.extend(find_faults(page, axe, is_also_dark=IS_LONG or number % 3 == 0))

    stranger = Invitation.objects.get(user=None)
    link = f"/invitations/{stranger.pk}/{stranger.token}/"
    visit(
        {
            "first-visit": "/",
            "table-stranger": f"/m/{mine.code}/",
            "invitation-stranger": link,
            "invitation-stop": f"{link}stop/",
        }
    )
    sign_in(page, "ana")
    paths = {
        "home": "/",
        "tables": "/tables/",
        "tables-none": "/tables/?game=gem&seats=8",
        "substitutes": "/tables/substitutes/",
        "matches": "/matches/",
        "player": "/players/ana/",
        "choose-game": "/tables/new/",
        "new-table": "/tables/new/florentine/",
        "new-table-options": "/tables/new/jewellers/",
        "table-host": f"/m/{mine.code}/",
        "table-cancel": f"/m/{mine.code}/cancel/",
        "table-joinable": f"/m/{Match.objects.filter(created_by=ben, status='open')[0].code}/",
        "invitation": f"/invitations/{offered.pk}/{offered.token}/",
    }
    visit(paths)
    translated = ("home", "tables", "new-table-options", "table-host")
    for language in ("fr", "de"):  # their words are longer
        User.objects.filter(pk=ana.pk).update(language=language)
        visit({f"{name}-{language}": paths[name] for name in translated})
    assert complaints == []
    assert faults == [], "\n".join(faults)


def test_a_browser_makes_an_own_part_and_shows_a_clock_of_ones_own_when_it_is_wanted(
    window: BrowserContext, complaints: list[str]
) -> None:
    make_user("ana")
    page = window.new_page()
    sign_in(page, "ana")
    page.goto("/tables/new/gem/")
    expect(page.get_by_label("Bank: hours at the start")).to_be_hidden()
    page.get_by_label("another pace of your own").check()
    for field, hours in (("bank", "48"), ("increment", "6"), ("cap", "48")):
        page.fill(f"#id_{field}", hours)
    page.locator("details.more > summary").click()
    page.locator("details.proof > summary").click()
    page.get_by_role("button", name="Let my browser make one").click()
    words = page.get_by_label("Your own part of the deal").input_value()
    assert re.fullmatch("[0-9a-f]{64}", words)
    page.get_by_role("button", name="Open the table").click()
    page.get_by_text("Your part of the deal", exact=True).click()
    expect(page.locator("details.proof").get_by_text(deal.given_part(words))).to_be_visible()
    assert Match.objects.get().increment == timedelta(hours=6)
    assert complaints == []


def test_a_stranger_plays_at_once_and_keeps_the_match_by_signing_up(
    window: BrowserContext, settings: Settings, complaints: list[str], folder: Path
) -> None:
    page = window.new_page()
    window.new_cdp_session(page).send("Emulation.setTimezoneOverride", {"timezoneId": "Europe/Zurich"})
    page.goto("/")
    page.get_by_role("button", name="Play a bot at GEM", exact=True).click()
    page.wait_for_url(re.compile("/m/M"))
    for _ in range(5):
        sweeps.play_bots(Match.objects.get().pk)
    page.reload()
    expect(page.get_by_role("link", name="Sign up to keep this match")).to_be_visible()
    picture(page, "lobby-practice", folder)
    page.reload()  # a screenshot leaves styles of the driver behind, which htmx would copy
    page.locator("#move .choices button").first.click()
    page.locator("button[name=play]").first.click()
    expect(page.locator("#messages")).to_contain_text("You ")
    address = page.url
    page.goto("/")
    picture(page, "lobby-guest-home", folder)
    page.get_by_role("link", name="Sign up to keep it").click()
    page.fill("input[name=email]", "dee@example.org")
    page.fill("input[name=username]", "dee")
    page.get_by_role("button", name="Send me the code").click()
    expect(page.get_by_text("We have written to dee@example.org.")).to_be_visible()
    picture(page, "lobby-code", folder)
    page.fill("input[name=code]", OutboxMessage.objects.get(kind="account").data["secret"]["code"])
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url(re.compile(r"/$"))
    expect(page.get_by_role("link", name="GEM M")).to_be_visible()
    dee = User.objects.get()
    assert dee.time_zone == "Europe/Zurich", "the zone of the browser"
    assert (dee.username, dee.is_guest) == ("dee", False)
    assert Match.objects.get().seats.get(user=dee).match.get_absolute_url() in address
    assert complaints == []
