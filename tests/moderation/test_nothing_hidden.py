"""No page of the moderators' site shows things its reader may not know: unique secrets are planted and searched for.

Every address of the site is requested, with every row it can name and every link on its pages, as readers of every
role. Readers who play in the matches may learn no more than any player; the others may learn what is public.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

import pytest
from django.contrib import admin
from django.test import Client

from gemserver.accounts.roles import Role
from gemserver.matches.models import Match
from tests.moderation.addresses import browser_of, every_address
from tests.moderation.planted import Club, make_club
from tests.quick import some
from tests.site.pages import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def club() -> Club:
    return make_club()


# --- Every page -----------------------------------------------------------------------------------


def walk(client: Client) -> dict[str, str]:
    """The text of every page of the site, by address: all known addresses, and those that pages link to."""
    waiting, seen = list(every_address()), dict[str, str]()
    while waiting:
        address = waiting.pop()
        if address in seen:
            continue
        response = client.get(address)
        assert response.status_code in (200, 302, 301, 403, 404, 405), (address, response.status_code)
        body = response.content.decode()
        seen[address] = html.unescape(f"{response.headers} {body}")
        links = [urljoin(address, html.unescape(link)) for link in re.findall(r'href="([^"#]+)', body)]
        waiting += [link for link in links if is_of_the_site(link) and link not in seen]
    return seen


def is_of_the_site(link: str) -> bool:
    """True for a link within the site with new rows: links that only sort, or combine filters, repeat known ones."""
    parts = urlsplit(link)
    is_new = "&" not in parts.query and not parts.query.startswith(("o=", "_changelist_filters="))
    return not parts.netloc and parts.path.startswith("/admin/") and is_new


def found_in(pages: Mapping[str, str], secrets: Mapping[str, str]) -> list[str]:
    """`secret: address` for each secret on a page, in any case of letters."""
    lowered = {address: text.lower() for address, text in pages.items()}
    return [
        f"{name}: {address}"
        for name, secret in secrets.items()
        for address, text in lowered.items()
        if secret.lower() in text
    ]


@pytest.mark.slow
@pytest.mark.parametrize("role", some(list(Role)[1:], 2, turn=1))
def test_who_plays_reads_no_secret_and_nothing_of_the_own_table(club: Club, role: Role) -> None:
    pages = walk(browser_of(club, role, is_seated=True))
    assert len(pages) > 200
    assert found_in(pages, club.secrets) == []
    assert found_in(pages, club.own_table) == []
    code = re.compile(rf"\b({'|'.join(match.code for match in club.matches)})\b")
    of_the_site = {address: text for address, text in pages.items() if "Gem server: moderation" in text}
    naming = [text for address, text in of_the_site.items() if code.search(text.replace(address, ""))]
    assert naming
    assert all("You have a part in" in text for text in naming)


@pytest.mark.slow
@pytest.mark.parametrize("role", some([Role.HELPER, Role.ADMINISTRATOR], 2, turn=1))
def test_who_does_not_play_reads_what_is_said_but_no_secret(club: Club, role: Role) -> None:
    pages = walk(browser_of(club, role, is_seated=False))
    assert len(pages) > 200
    assert found_in(pages, club.secrets) == []
    found = found_in(pages, club.own_table)
    assert any(place.startswith("talkmark: /admin/matches/chatmessage/") for place in found)
    assert any(place.startswith("reportmark: /admin/matches/report/") for place in found)


@pytest.mark.slow
def test_after_the_end_the_match_is_open_and_what_is_private_stays_so(club: Club) -> None:
    """This also shows that the search finds secrets at all."""
    Match.objects.filter(status=Match.Status.RUNNING).update(status=Match.Status.FINISHED)
    pages = walk(browser_of(club, Role.ADMINISTRATOR, is_seated=False))
    shown = {place.split(": ")[0] for place in found_in(pages, club.secrets)}
    server_parts = {f"server part of {match.code}" for match in club.matches}
    assert shown == server_parts | {"wordmark", "subjectmark", "heldmark", "heldsubjectmark", "pickmark"}


# --- Searches and filters whose number of results would give secrets away --------------------------


@pytest.mark.slow
@pytest.mark.parametrize("is_seated", [True, False])
def test_searching_for_a_secret_finds_what_searching_for_nonsense_finds(club: Club, is_seated: bool) -> None:
    browser = browser_of(club, Role.ADMINISTRATOR, is_seated=is_seated)
    secrets = {**club.secrets, **(club.own_table if is_seated else {})}
    # One of each kind is enough.
    secrets = {re.sub(r" \d+$| of M\d+$", "", name): secret for name, secret in secrets.items()}
    assert {"token of seat", "seed", "sealedmark", "subjectmark", "feed", "session"} <= secrets.keys()
    searched = [model for model, lists in admin.site._registry.items() if lists.search_fields]
    for number, model in enumerate(searched):
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        nothing = read(browser.get(path, {"q": "nosuchthing"})).text
        for name, secret in some([*secrets.items()], 12, turn=number):
            assert read(browser.get(path, {"q": secret[:200]})).text == nothing, (path, name)


@pytest.mark.slow
def test_no_list_answers_questions_about_columns_that_it_does_not_filter_by(club: Club) -> None:
    browser = browser_of(club, Role.ADMINISTRATOR, is_seated=False)
    asked = 0
    for model, lists in admin.site._registry.items():
        filters = {name.partition("__")[0] for name in lists.list_filter}
        for column in model._meta.get_fields():
            if column.name in filters:
                continue
            address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/?{column.name}__isnull=False"
            assert browser.get(address).status_code == 400, address
            asked += 1
    assert asked > 100
