"""Players stay signed in until the session runs out, the account is closed or another password is set."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from gemserver.accounts.models import User
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


def test_a_cookie_of_no_session_is_nobodys() -> None:
    client = sign_in("ana")
    client.cookies["sessionid"] = "x" * 32
    assert not is_signed_in(client)
