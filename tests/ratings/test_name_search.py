"""Players are found by how their names begin, and by a name with one slip."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.accounts.name_keys import NameKey
from gemserver.accounts.name_search import find_keys, write_missing_keys
from gemserver.matches.actions.people.rename import rename

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def crowd() -> None:
    for name in ("Marguerite", "Margot", "Zoë Krüger", "ben_b", "Dmitri"):
        User.objects.create_user(name)


def found(text: str) -> list[str]:
    names = User.objects.in_bulk(find_keys(text))
    return [names[key].username for key in find_keys(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("marg", ["Margot", "Marguerite"]),
        ("MARGO", ["Margot"]),
        ("zoe kruger", ["Zoë Krüger"]),
        ("Zoë", ["Zoë Krüger"]),
        ("benb", ["ben_b"]),
        ("Magot", ["Margot"]),
        ("Marggot", ["Margot"]),
        ("Mragot", ["Margot"]),
        ("Dmitry", ["Dmitri"]),
        ("Dnitri", ["Dmitri"]),
        ("bem", []),
        ("%", []),
        ("_", []),
        ("", []),
    ],
)
def test_who_is_found(text: str, names: list[str]) -> None:
    assert found(text) == names


def test_a_new_name_is_found_and_the_old_one_no_more() -> None:
    rename(User.objects.get(username="Margot"), "Colette")
    assert found("colette") == ["Colette"]
    assert found("margot") == []


def test_guests_and_shut_accounts_are_not_found() -> None:
    User.objects.create_user("guest-1234", is_guest=True)
    User.objects.filter(username="Dmitri").update(is_active=False)
    assert found("guest") == []
    assert found("Dmitri") == []


def test_who_came_before_the_search_is_found_after_the_next_hour() -> None:
    NameKey.objects.all().delete()
    assert write_missing_keys(3) == 3
    assert write_missing_keys(10) == 2
    assert found("marg") == ["Margot", "Marguerite"]
