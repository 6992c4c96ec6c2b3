"""Limits by address count visitors, not the proxy they all come through."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from allauth.usersessions.models import UserSession
from django.core.cache import cache
from django.test import Client

from gemserver.accounts.models import User
from tests.builders import make_user

pytestmark = pytest.mark.django_db

LOGIN, PASSWORD = "/accounts/login/", "correct horse battery"
TOO_MANY = "Too many wrong passwords."


@pytest.fixture(autouse=True)
def _behind_one_proxy(settings) -> Iterator[None]:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def ana() -> User:
    user = make_user("ana")
    user.set_password(PASSWORD)
    user.save()
    return user


def visitor(address: str, **how: str) -> Client:
    return Client(headers={"X-Forwarded-For": address}, **how)


def enter(client: Client, name: str, password: str) -> str:
    response = client.post(LOGIN, {"login": name, "password": password})
    return "in" if response.status_code == 302 else response.content.decode()


def guess(client: Client, times: int, prefix: str = "nobody") -> str:
    """The answer to the last of several wrong passwords, each for another name."""
    return [enter(client, f"{prefix}{number}", "wrong") for number in range(times)][-1]


@pytest.mark.parametrize("connected", ["127.0.0.1", ""], ids=["port", "unix-socket"])
def test_wrong_passwords_of_one_visitor_lock_nobody_else_out(ana: User, connected: str) -> None:
    assert TOO_MANY in guess(visitor("192.0.2.1", REMOTE_ADDR=connected), 11)
    assert enter(visitor("192.0.2.2", REMOTE_ADDR=connected), "ana", PASSWORD) == "in"


def test_a_forged_header_brings_no_new_tries(ana: User) -> None:
    for number in range(11):
        answer = guess(visitor(f"203.0.113.{number}, 192.0.2.1"), 1, prefix=f"n{number}")
    assert TOO_MANY in answer
    assert TOO_MANY in enter(visitor("192.0.2.1"), "ana", PASSWORD)


@pytest.mark.slow
def test_ipv6_visitors_are_counted_by_their_network(ana: User) -> None:
    for number in range(11):
        answer = guess(visitor(f"2001:db8:1:2::{number:x}"), 1, prefix=f"n{number}")
    assert TOO_MANY in answer
    assert enter(visitor("2001:db8:1:3::1"), "ana", PASSWORD) == "in"


@pytest.mark.slow
def test_ipv4_visitors_in_ipv6_form_are_no_network(ana: User) -> None:
    assert TOO_MANY in guess(visitor("::ffff:192.0.2.1"), 11)
    assert enter(visitor("::ffff:192.0.2.2"), "ana", PASSWORD) == "in"


@pytest.mark.slow
def test_practice_matches_are_counted_by_visitor(settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"practice": "1/h/ip"}
    first, again, other = (
        visitor(each).post("/practice/gem/").url
        for each in ("192.0.2.1", "203.0.113.9, 192.0.2.1", "192.0.2.2")
    )
    assert (first.startswith("/m/"), again, other.startswith("/m/")) == (True, "/", True)


@pytest.mark.slow
def test_codes_are_counted_by_visitor() -> None:
    def ask(address: str, number: int) -> int:
        form = {"email": f"p{number}@players.test"}
        return visitor(address).post("/accounts/login/code/", form).status_code

    assert [ask("192.0.2.1", number) for number in range(21)] == [302] * 20 + [200]
    assert ask("192.0.2.2", 21) == 302


@pytest.mark.slow
def test_sign_ups_are_counted_by_visitor() -> None:
    def ask(address: str, number: int) -> int:
        form = {"email": f"x{number}@players.test", "username": f"xenia{number}", "password1": ""}
        return visitor(address).post("/accounts/signup/", form).status_code

    assert [ask("192.0.2.1", number) for number in range(11)] == [302] * 10 + [429]
    assert ask("192.0.2.2", 11) == 302


def test_the_list_of_sessions_shows_the_visitor_and_not_the_proxy(ana: User) -> None:
    assert enter(visitor("203.0.113.9, 192.0.2.1"), "ana", PASSWORD) == "in"
    assert UserSession.objects.get(user=ana).ip == "192.0.2.1"
