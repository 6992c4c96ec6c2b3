"""The end of a match leads on: to a rematch, to the next match, and to others who may look at it."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.matches.models import Match
from tests.builders import is_asked, make_match, make_user, play_to_the_end, play_until
from tests.site.pages import Page, read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def over(ana: User, ben: User) -> Match:
    return play_to_the_end(make_match(players=[ana, ben]))


def look(user: User | None, match: Match) -> Page:
    return read((signed_in(user) if user else Client()).get(match.get_absolute_url()))


@pytest.mark.slow
def test_one_player_opens_the_rematch_and_the_other_is_led_there(over: Match, ana: User, ben: User) -> None:
    assert "Rematch" in look(ana, over).text
    assert "Rematch" not in look(None, over).text
    response = signed_in(ana).post(f"{over.get_absolute_url()}rematch/", follow=True)
    match = Match.objects.latest("pk")
    assert response.redirect_chain[-1][0] == match.get_absolute_url()
    assert "the places move on by one" in read(response).text
    assert over.get_absolute_url() in read(response).links
    page = look(ben, over)
    assert f"Go to the rematch {match.code}" in page.text
    assert match.get_absolute_url() in page.links
    assert "Join this table" in look(ben, match).text
    signed_in(ben).post(f"{match.get_absolute_url()}table/", {"do": "join"})
    match.refresh_from_db()
    assert match.is_running
    assert [seat.name for seat in match.seats.order_by("index")] == ["ben", "ana"]


def test_a_page_of_the_end_that_is_open_learns_of_the_rematch(over: Match, ana: User, ben: User) -> None:
    client, path = signed_in(ben), f"{over.get_absolute_url()}progress/"
    before = client.get(path).json()["page"]
    signed_in(ana).post(f"{over.get_absolute_url()}rematch/")
    assert client.get(path).json()["page"] != before


def test_a_rematch_that_is_refused_says_why(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    path = f"{match.get_absolute_url()}rematch/"
    assert "is not over yet" in read(signed_in(ana).post(path, follow=True)).text
    assert "You do not sit at" in read(signed_in(make_user("dee")).post(path, follow=True)).text


@pytest.mark.slow
def test_a_guest_plays_a_bot_again() -> None:
    client = Client()
    code = client.post("/practice/gem/").url.split("/")[2]
    over = play_to_the_end(Match.objects.get(code=code))
    response = client.post(f"{over.get_absolute_url()}rematch/", follow=True)
    assert Match.objects.latest("pk").is_running
    assert "Sign up to keep this match" in read(response).text


def test_the_end_offers_its_address_and_the_next_match(over: Match, ana: User) -> None:
    waits = play_until(make_match(players=[ana], bots=2), is_asked(ana))
    page = look(ana, over)
    assert waits.get_absolute_url() in page.links
    assert any(value.endswith(over.get_absolute_url()) for value in page.fields.values())
