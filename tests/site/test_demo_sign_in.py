"""Signing in as the demo player with one click, on one's own machine only."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.matches.models import Match
from tests.builders import make_user, play_to_the_end
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

ONLY_EMBEDDED = (
    "/mail-room/",
    "/mail-room/new/",
    "/mail-room/sent/1/",
    "/mail-room/received/1/",
    "/demo/sign-in/",
)


@pytest.mark.slow
def test_one_click_leads_to_a_match_in_which_it_is_ones_turn(embedded: Settings) -> None:
    client = Client()
    assert "Play as the demo player" in read(client.get("/")).text
    response = client.post("/demo/sign-in/", follow=True)
    assert response.status_code == 200
    page = read(response)
    assert "Your turn" in page.text
    assert page.fields["text"] == ""
    assert response.context["user"].username == "demo"


def test_clicking_again_goes_on_with_the_same_match(embedded: Settings) -> None:
    first = Client().post("/demo/sign-in/")
    second = Client().post("/demo/sign-in/")
    assert first.url == second.url
    assert Match.objects.count() == 1


@pytest.mark.slow
def test_the_first_page_offers_a_new_match_when_the_last_one_is_over(embedded: Settings) -> None:
    client = Client()
    client.post("/demo/sign-in/")
    assert "Start a match against two bots" not in read(client.get("/")).text
    play_to_the_end(Match.objects.get())
    assert "Start a match against two bots" in read(client.get("/")).text
    client.post("/demo/sign-in/")
    assert Match.objects.filter(status=Match.Status.RUNNING).count() == 1


def test_others_are_not_offered_it(embedded: Settings) -> None:
    assert "against two bots" not in read(signed_in(make_user("ana")).get("/")).text


@pytest.mark.parametrize("path", ONLY_EMBEDDED)
def test_none_of_it_exists_on_another_server(path: str) -> None:
    assert Client().get(path).status_code == 404
    assert Client().post(path).status_code == 404
    assert not User.objects.exists()


@pytest.mark.parametrize("path", ONLY_EMBEDDED)
def test_none_of_it_exists_for_another_machine(embedded: Settings, path: str) -> None:
    assert Client(REMOTE_ADDR="192.0.2.7").get(path).status_code == 404
    assert Client(REMOTE_ADDR="192.0.2.7").post(path).status_code == 404
    assert not User.objects.exists()


def test_signing_in_takes_a_post_and_its_token(embedded: Settings) -> None:
    assert Client().get("/demo/sign-in/").status_code == 405
    assert Client(enforce_csrf_checks=True).post("/demo/sign-in/").status_code == 403
