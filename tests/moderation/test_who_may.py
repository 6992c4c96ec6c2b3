"""Permissions on the moderators' site: every address, with every row, for everybody.

`tests/site/test_permissions.py` does the same for the rest of the server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from django.contrib import admin
from django.core import serializers
from django.test import Client

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.moderation.models import AuditEntry
from tests.moderation.addresses import browser_of, every_address, least_role
from tests.moderation.planted import Club, make_club
from tests.quick import first, some
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

ANSWERS: Mapping[str, tuple[set[int], set[int]]] = {
    r"/admin/(login|autocomplete|jsi18n|password_change(/done)?)/": ({200, 302, 403}, {200, 302, 403, 405}),
    r"/admin/(incidents|delivery)/": ({200}, {405}),
    r"/admin/timeline/\w+/": ({200}, {405}),
    r"/admin/\w+/\w+/add/": ({403}, {403}),
    # A private club of which nobody has reported anything is as one that is not there.
    r"/admin/(clubs/club|events/event)/[^/]+/(change|history)/": ({200, 302}, {200, 302, 403}),
    r"/admin/\w+/\w+/[^/]+/(change|history)/": ({200}, {200, 403}),
    r"/admin/\w+/\w+/[^/]+/delete/": ({403}, {403}),
    # A list without actions is shown again.
    r"/admin/(\w+/(\w+/)?)?": ({200}, {200, 403}),
    # A row redirects to its list or its own page.
    r"/admin/r/\d+/\d+/": ({302, 404}, {302, 404}),
    r"/admin/\w+/\w+/\d+/": ({302}, {302}),
}
"""By address: the answers to GET and to POST without fields, for every role. Those of actions depend on the role."""


def expected_of(address: str, role: Role) -> tuple[set[int], set[int]]:
    if found := re.fullmatch(r"/admin/actions/([\w-]+)/.+/", address):
        status = 200 if role >= least_role(found[1]) else 403
        return {status}, {status}
    if address == "/admin/alike-accounts/":
        return {200 if role >= Role.MODERATOR else 403}, {405}
    for pattern, answers in ANSWERS.items():
        if re.fullmatch(pattern, address):
            return answers
    raise AssertionError(f"{address} has no line here")


@pytest.fixture
def club() -> Club:
    return make_club()


def everything() -> str:
    """All rows that the site has lists of."""
    rows = [row for model in admin.site._registry for row in model._default_manager.order_by("pk")]
    return serializers.serialize("json", [row for row in rows if not isinstance(row, User)])


@pytest.mark.slow
@pytest.mark.parametrize("role", some(list(Role)[1:], 3, turn=2))
def test_a_role_opens_its_addresses_and_no_form_without_a_reason_changes_anything(
    club: Club, role: Role
) -> None:
    browser = browser_of(club, role, is_seated=False)
    accounts = list(User.objects.order_by("pk").values("username", "role", "email", "password", "is_active"))
    before = everything()
    addresses, wrong = sorted(set(every_address())), []
    for address in addresses:
        looks, deeds = expected_of(address, role)
        found = browser.get(address).status_code, browser.post(address).status_code
        if found[0] not in looks or found[1] not in deeds:
            wrong.append((address, *found))
    assert wrong == []
    assert len(addresses) > 400
    assert everything() == before
    assert accounts == list(
        User.objects.order_by("pk").values("username", "role", "email", "password", "is_active")
    )
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("who", "most"),
    [("player", 1), *first(0, [(who, None) for who in some(["nobody", "player"], 2, turn=1)])],
)
def test_the_site_is_closed_to_everybody_else(club: Club, who: str, most: int | None) -> None:
    browser = signed_in(club.players[0]) if who == "player" else Client()
    before = everything()
    for address in sorted(set(every_address(most))):
        for answer in (browser.get(address), browser.post(address)):
            assert answer.status_code in (302, 403), address
            if answer.status_code == 302:
                assert answer["Location"].startswith(("/accounts/login/", "/admin/login/")), address
    assert everything() == before
