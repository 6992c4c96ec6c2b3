"""The pages on which people make bots, and where bots are met."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest
from django.test import Client

from gemserver.accounts import bans
from gemserver.accounts.models import PersonalToken, User
from gemserver.lib import clock
from gemserver.matches.actions.people.open_bot import offer_practice, open_bot
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import Match
from gemserver.site.account import export
from tests.api.programs import Program
from tests.builders import NOON, THREE_DAYS
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_a_bot_is_made_given_a_token_and_ended(ana: User) -> None:
    browser = signed_in(ana)
    made = browser.post("/you/bots/", {"name": "Tin"}, follow=True)
    assert "Tin (bot)" in read(made).text
    bot = User.objects.get(username="Tin")
    assert bot.owner == ana
    form = {"name": "laptop", "scopes": ["read", "play"], "days": "90"}
    shown = read(browser.post("/you/bots/Tin/", form)).text
    text = next(word for word in shown.split() if word.startswith("gem_"))
    assert Program(text).get("account").json()["name"] == "Tin"
    assert not PersonalToken.objects.filter(user=ana).exists()
    browser.post("/you/bots/Tin/", {"do": "practice", "games": ["gem"]})
    assert list(bot.practice_offers.values_list("game", flat=True)) == ["gem"]
    browser.post("/you/bots/Tin/", {"revoke": "laptop"})
    assert not bot.personal_tokens.exists()
    assert browser.post("/you/bots/Tin/", {"do": "end", "confirm": "Zinc"}).status_code == 422
    browser.post("/you/bots/Tin/", {"do": "end", "confirm": "tin (bot)"})
    assert not User.objects.filter(username="Tin").exists()


def test_a_token_that_changes_settings_needs_a_fresh_sign_in(ana: User) -> None:
    open_bot(ana, "Tin", now=NOON)
    answer = signed_in(ana).post("/you/bots/Tin/", {"name": "laptop", "scopes": ["account"], "days": "90"})
    assert answer.status_code == 302
    assert "/reauthenticate/" in answer["Location"]


def test_bots_of_others_and_a_refused_name(ana: User, ben: User) -> None:
    open_bot(ben, "Tin", now=NOON)
    browser = signed_in(ana)
    assert browser.get("/you/bots/Tin/").status_code == 404
    assert browser.post("/you/bots/Tin/", {"do": "end", "confirm": "Tin"}).status_code == 404
    assert browser.post("/you/bots/Ghost/").status_code == 404
    taken = browser.post("/you/bots/", {"name": "tin"})
    assert taken.status_code == 422
    assert "already" in read(taken).text


def test_who_is_shut_by_moderators_is_not_ended_by_the_owner(ana: User) -> None:
    bot = open_bot(ana, "Tin", now=NOON)
    bans.ban_user(bot, "It floods tables.", now=NOON)
    answer = signed_in(ana).post("/you/bots/Tin/", {"do": "end", "confirm": "Tin"})
    assert answer.status_code == 422
    assert "moderator" in read(answer).text
    assert User.objects.filter(pk=bot.pk).exists()


def test_the_page_of_a_bot_names_its_owner(ana: User) -> None:
    open_bot(ana, "Tin", now=NOON)
    page = read(Client().get("/players/Tin/"))
    assert "This account is a bot" in page.text
    assert "ana answers for it" in page.text


def test_lists_show_and_filter_tables_for_bots(ana: User, ben: User) -> None:
    for allows_bots in (True, False):
        seats = 3 if allows_bots else 2
        terms = Terms(game="gem", seats=seats, time_control=THREE_DAYS, allows_bots=allows_bots)
        open_table(ana, terms, now=NOON)
    with_bots, without = Match.objects.order_by("pk")
    browser = signed_in(ben)
    both = read(browser.get("/tables/")).text
    assert with_bots.code in both
    assert without.code in both
    some = browser.get("/tables/?bots=yes").content.decode()
    assert with_bots.get_absolute_url() in some
    assert without.get_absolute_url() not in some
    assert with_bots.get_absolute_url() not in browser.get("/tables/?bots=no").content.decode()
    assert "bots too" in read(browser.get(f"/m/{with_bots.code}/")).text


def test_practice_with_the_bot_of_somebody(ana: User, ben: User) -> None:
    bot = open_bot(ana, "Tin", now=NOON)
    offer_practice(bot, ["gem"], now=NOON)
    Program.of(bot).get("turns")
    browser = signed_in(ben)
    assert "Tin (bot)" in read(browser.get("/practice/gem/")).text
    assert "Tin" not in read(Client().get("/practice/gem/")).text
    answer = browser.post("/practice/gem/", {"partner": "Tin"})
    match = Match.objects.get()
    assert answer["Location"] == match.get_absolute_url()
    assert match.is_running


def test_the_export_tells_of_bots_and_of_the_owner(ana: User) -> None:
    bot = open_bot(ana, "Tin", now=NOON)
    offer_practice(bot, ["gem"], now=NOON)
    assert list(export.collect(ana, clock.now())["bots"]) == [
        {"username": "Tin", "date_joined": NOON, "is_active": True}
    ]
    answer = signed_in(ana).post("/you/bots/Tin/", {"do": "export"})
    with zipfile.ZipFile(BytesIO(answer.getvalue())) as archive:
        told = json.loads(archive.read("account.json"))
    assert told["account"]["owner"] == "ana"
    assert [offer["game"] for offer in told["practice"]] == ["gem"]
