"""The server does the same work for known and unknown addresses, so that its timing reveals nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import User
from gemserver.notify.models import OutboxMessage
from tests.builders import make_user
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"
KNOWN, UNKNOWN = "ana@example.org", "new@example.org"


class CountingHasher(MD5PasswordHasher):
    """A hasher that counts its runs."""

    algorithm = "md5"
    runs = 0

    def encode(self, password: str, salt: str) -> str:
        type(self).runs += 1
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def _counted(settings) -> Iterator[None]:
    settings.PASSWORD_HASHERS = ["tests.site.test_same_work.CountingHasher"]
    settings.ACCOUNT_RATE_LIMITS = False
    cache.clear()
    yield
    cache.clear()


@pytest.fixture(params=["password", "code", "unverified", "shut"])
def ana(request: pytest.FixtureRequest) -> User:
    """The owner of the known address: with a password, without one, not confirmed yet, or banned."""
    user = make_user("ana")
    if request.param == "password":
        user.set_password(PASSWORD)
    else:
        user.set_unusable_password()
    user.is_active = request.param != "shut"
    user.save()
    EmailAddress.objects.filter(user=user).update(verified=request.param != "unverified")
    return user


Work = tuple[int, int, Counter[str]]


@contextmanager
def working(found: list[Work]) -> Iterator[None]:
    """Append the work done inside: passwords hashed, mails queued, and statements counted by verb and table."""
    CountingHasher.runs, mails = 0, OutboxMessage.objects.count()
    with CaptureQueriesContext(
        connection,
    ) as captured:
        yield
    statements = Counter(kind_of(query["sql"]) for query in captured.captured_queries)
    del statements[""]
    found.append((CountingHasher.runs, OutboxMessage.objects.count() - mails, statements))


def kind_of(sql: str) -> str:
    """Verb and table, like `INSERT accounts_user`; empty for statements that only mark transactions."""
    kind = sql.split(" ", 1)[0]
    table = re.search(r'(?:FROM|INTO|UPDATE) "(\w+)"', sql)
    return f"{kind} {table[1]}" if table else ""


def compare(ask: Callable[[str], object]) -> tuple[Work, Work]:
    """The work for the known and for the unknown address, after a third one that fills all caches."""
    found: list[Work] = []
    for address in ("other@example.org", KNOWN, UNKNOWN):
        with working(found):
            ask(address)
    return found[1], found[2]


def test_signing_in_with_a_wrong_password(ana: User) -> None:
    known, unknown = compare(
        lambda address: Client().post("/accounts/login/", {"login": address, "password": "wrong"})
    )
    assert known == unknown
    assert known[0] == 1


def test_signing_in_by_a_name(ana: User) -> None:
    found: list[Work] = []
    for name in ("other", "ana", "nobody"):
        with working(found):
            Client().post("/accounts/login/", {"login": name, "password": "wrong"})
    assert found[1] == found[2]
    assert found[1][0] == 1


@pytest.mark.slow
@pytest.mark.parametrize("password", ["", PASSWORD])
def test_signing_up(ana: User, password: str) -> None:
    names = iter(("xenia", "yara", "zoe"))

    def ask(address: str) -> None:
        form = {"email": address, "username": next(names), "password1": password}
        assert Client().post("/accounts/signup/", form).status_code == 302

    known, unknown = compare(ask)
    assert known == unknown
    assert known[:2] == (1 if password else 0, 1)
    assert not User.objects.filter(username="yara").exists()


def test_asking_for_a_code(ana: User) -> None:
    known, unknown = compare(lambda address: Client().post("/accounts/login/code/", {"email": address}))
    assert known == unknown
    assert known[:2] == (0, 1)


def test_asking_for_a_new_password(ana: User) -> None:
    known, unknown = compare(lambda address: Client().post("/accounts/password/reset/", {"email": address}))
    assert known == unknown
    assert known[:2] == (0, 1)


def test_adding_an_address_to_ones_own(ana: User) -> None:
    ben = make_user("ben")
    known, unknown = compare(
        lambda address: signed_in(ben).post("/accounts/email/", {"email": address, "action_add": ""})
    )
    assert known == unknown
