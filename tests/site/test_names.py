"""Names: all scripts are welcome, and none passes for that of somebody else."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from gemserver.accounts.models import User
from gemserver.accounts.name_keys import NameKey
from gemserver.accounts.name_search import write_missing_keys
from gemserver.accounts.names import validate_name
from gemserver.accounts.newcomers import create_account, free_name
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.people.rename import rename
from gemserver.matches.refusal import Refused
from tests.builders import NOON, make_user
from tests.site.pages import read

pytestmark = pytest.mark.django_db

ALIKE = [("axa", "аха"), ("Ilona", "llona"), ("Otto", "0tto"), ("modem", "rnodern"), ("pop", "рор")]


@pytest.mark.parametrize(
    "name",
    [
        *("admin", "M17", "player 3", "аna", "an\u0430", "a\u200bna", "ﬁona", " x", "a/b", "x" * 41, ""),
        *(
            "m0derator",
            "lnfo",
            "Moderator.",
            "admin_",
            "-admin",
            "adm\u0131n",
            "Gem server",
            "Support-Team",
            "...",
        ),
        *("\u1160", "김\u1160", "ana\u3164", "\u0251na", "\u1d00na", "Ana\u01c0 bob", "ana\u0660"),
    ],
)
def test_names_that_would_be_misread_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        validate_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "ana",
        "Jean-Luc",
        "Анна",
        "花子",
        "ひろし太郎",
        "さくらー",
        "佐々木",
        "Işıl",
        "Ərvin",
        "Gem",
        "Søren K.",
        "o_o",
        "مريم",
    ],
)
def test_names_of_all_scripts_are_welcome(name: str) -> None:
    validate_name(name)


@pytest.mark.parametrize(("name", "alike"), ALIKE)
def test_a_name_that_passes_for_that_of_another_is_refused(name: str, alike: str) -> None:
    make_user(name)
    ben = make_user("ben")
    with pytest.raises(Refused) as refusal:
        rename(ben, alike)
    assert refusal.value.code == "name-taken"
    with pytest.raises(Refused):
        open_bot(ben, alike, now=NOON)


def test_nobody_signs_up_with_a_name_that_passes_for_another() -> None:
    make_user("Ilona")
    page = Client().post("/accounts/signup/", {"username": "llona", "email": "llona@example.org"})
    assert "or one that looks the same" in read(page).text
    assert not User.objects.filter(username="llona").exists()


def test_an_address_that_begins_like_another_name_looks_gets_a_number() -> None:
    make_user("Ilona")
    assert create_account("llona@example.org").username == "llona-2"
    assert free_name("ilona@example.org") == "ilona-2"


def test_people_change_how_their_own_name_is_written() -> None:
    ilona = make_user("Ilona")
    rename(ilona, "llona")
    assert User.objects.get(pk=ilona.pk).username == "llona"


def test_a_name_is_free_again_when_its_player_has_another() -> None:
    rename(make_user("Ilona"), "Ana")
    rename(make_user("ben"), "llona")


def test_the_names_of_those_who_came_earlier_are_protected_too() -> None:
    make_user("Ilona")
    NameKey.objects.update(look="")
    assert write_missing_keys(10) == 1
    with pytest.raises(Refused):
        rename(make_user("ben"), "llona")
