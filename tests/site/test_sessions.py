"""Players stay signed in until the session runs out, the account is closed or another password is set."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from gemserver.accounts.bans import ban_user, lift
from gemserver.accounts.models import Ban, User
from gemserver.lib import clock
from gemserver.matches.actions.people.make_token import make_token
from tests.builders import make_user

pytestmark = pytest.mark.django_db


def sign_in(name: str) -> Client:
    client = Client()
    client.force_login(make_user(name))
    return client


def is_signed_in(client: Client) -> bool:
    """True if their own pages open, False if they are sent to sign in."""
    return client.get("/you/").status_code == 200


def run_out() -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


def close_account() -> None:
    User.objects.filter(username="ana").update(is_active=False)


def delete_account() -> None:
    User.objects.filter(username="ana").delete()


def set_another_password() -> None:
    user = User.objects.get(username="ana")
    user.set_password("quite another one")
    user.save()


def delete_session() -> None:
    Session.objects.all().delete()


@pytest.mark.parametrize(
    "end", [run_out, close_account, delete_account, set_another_password, delete_session]
)
def test_a_session_ends(end: Callable[[], None]) -> None:
    client = sign_in("ana")
    assert is_signed_in(client)
    end()
    assert not is_signed_in(client)


def ban() -> None:
    ban_user(User.objects.get(username="ana"), "You called everybody a cheat.", now=clock.now())


def test_who_is_banned_is_told_once_and_is_a_stranger_then() -> None:
    client = sign_in("ana")
    ban()
    told = client.get("/")
    assert told.status_code == 403
    assert "This account is shut" in told.content.decode()
    assert "You called everybody a cheat." in told.content.decode()
    assert client.get("/").status_code == 200
    assert not Session.objects.exists()


def test_a_script_that_asks_for_news_does_not_swallow_what_a_banned_player_is_told() -> None:
    client = sign_in("ana")
    ban()
    assert client.get("/", headers={"sec-fetch-mode": "cors"}).status_code == 403
    assert "This account is shut" in client.get("/").content.decode()


def test_a_session_from_before_another_password_learns_nothing_of_a_ban() -> None:
    client = sign_in("ana")
    set_another_password()
    ban()
    assert client.get("/").status_code == 200


def test_after_a_ban_is_lifted_the_session_goes_on() -> None:
    client = sign_in("ana")
    ban()
    lift(Ban.objects.get(), now=clock.now())
    assert is_signed_in(client)


def test_a_cookie_of_no_session_is_nobodys() -> None:
    client = sign_in("ana")
    client.cookies["sessionid"] = "x" * 32
    assert not is_signed_in(client)


@pytest.mark.parametrize("name", ["account_email", "account_change_password", "usersessions_list", "you"])
def test_no_cache_and_no_back_button_shows_a_page_of_an_account_after_signing_out(name: str) -> None:
    answer = sign_in("ana").get(reverse(name) if name != "you" else "/you/")
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]


def test_a_page_that_a_token_opens_is_kept_by_nobody() -> None:
    ana = make_user("ana")
    assert "no-store" in Client().get(f"/u/{ana.token}/")["Cache-Control"]


def test_who_signs_out_everywhere_is_told_that_programs_go_on() -> None:
    client = sign_in("ana")
    ana = User.objects.get(username="ana")
    assert reverse("tokens") not in client.get("/accounts/sessions/").content.decode()
    make_token(ana, "bot", ["read"], days=None, now=clock.now())
    page = client.get("/accounts/sessions/").content.decode()
    assert "Programs that have a token of yours go on" in page
    assert reverse("tokens") in page
