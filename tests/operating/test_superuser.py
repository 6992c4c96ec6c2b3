"""Whom `createsuperuser` makes is an account like any other."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_keys
from tests.builders import make_match
from tests.mailgate.posting import one_line, sent_to, write

pytestmark = pytest.mark.django_db

TERMS: Mapping[str, object] = {"interactive": False, "username": "olga", "verbosity": 0}


@pytest.fixture
def olga(monkeypatch: pytest.MonkeyPatch) -> User:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "correct-horse-battery-staple")
    call_command("createsuperuser", **TERMS, email="Olga@Players.example")
    return User.objects.get()


def test_their_mail_is_answered_as_that_of_a_player(olga: User) -> None:
    assert olga.is_superuser
    assert olga.mail_address() == "olga@players.example"
    assert write(olga, "ratings", to=settings.PLAY_ADDRESS).state == "done"
    assert "no account" not in one_line(sent_to(olga)[-1])


def test_they_are_found_among_players_once_they_play(olga: User) -> None:
    assert find_keys("olg") == []
    make_match(players=[olga], bots=1)
    assert find_keys("olg") == [olga.pk]


def test_an_address_that_is_somebody_s_is_not_given_to_another(olga: User) -> None:
    with pytest.raises(CommandError, match="belongs to the account olga"):
        call_command("createsuperuser", **{**TERMS, "username": "otto"}, email="olga@players.example")
    assert User.objects.count() == 1
