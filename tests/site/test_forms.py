"""Forms: how labels end, and that a refused form says all that is wrong at once, with the focus at the first of it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from tests.builders import make_user
from tests.events.leagues import make_event
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

MANY_LEADS = ["4320", "2880", "1440", "720", "480", "240", "120"]
OWN_CLOCK = {"clock": "own", "bank": "48", "increment": "6", "cap": "24"}


@pytest.fixture
def ana() -> User:
    return make_user("ana")


def focused(response: HttpResponse) -> list[str]:
    """The names of the fields that ask for the focus."""
    fields = re.findall(r"<(?:input|select|textarea)\b[^>]*>", response.content.decode())
    return re.findall(r'name="(\w+)"', " ".join(field for field in fields if "autofocus" in field))


def usual(client: Client, address: str) -> dict[str, str]:
    """The form of a page as it stands there."""
    shown = client.get(address).context["form"]
    return {name: str(shown[name].value() or "") for name in shown.fields} | {"seats": "3", "bots": "0"}


@pytest.mark.parametrize(
    ("address", "wrong", "first"),
    [
        ("/events/new/gem/", {"format": "league", "division_size": "99", "exchanged": "99"}, "name"),
        ("/tables/new/gem/", {"bots": "3", "vacation_days": "999"}, "bots"),
        ("/tables/new/gem/", {**OWN_CLOCK, "bots": "3"}, "bank"),
        ("/time/", {"do": "hours", "zone": "UTC", "quiet_start": "22:00"}, "quiet_end"),
        (
            "/time/",
            {"do": "hours", "zone": "UTC", "quiet_start": "20:00", "quiet_end": "07:00"},
            "quiet_start",
        ),
        ("/time/", {"do": "vacation", "first": "2020-01-01", "last": "2019-01-01"}, "first"),
        ("/notifications/", {"do": "mail", "mode": "digest", "digest_at": "99:99"}, "digest_at"),
        ("/time/", {"do": "leads", "minutes": MANY_LEADS}, "minutes"),
    ],
)
def test_the_first_field_that_is_wrong_has_the_focus(
    ana: User, address: str, wrong: dict[str, Any], first: str
) -> None:
    client = signed_in(ana)
    sent = wrong if "do" in wrong else usual(client, address) | wrong
    assert focused(client.get(address)) == []
    response = client.post(address, sent)
    assert response.status_code == 422
    assert focused(response) == [first]


@pytest.mark.parametrize(
    ("form", "sentence", "section"),
    [
        (
            {"do": "hours", "zone": "UTC", "quiet_start": "20:00", "quiet_end": "07:00"},
            "at most 10 hours",
            "hours",
        ),
        ({"do": "leads", "minutes": MANY_LEADS}, "up to 6", "mail"),
        ({"do": "vacation", "first": "2020-01-01", "last": "2020-01-02"}, "today or later", "vacation"),
    ],
)
def test_what_an_action_refuses_stands_in_the_form_that_was_sent(
    ana: User, form: dict[str, str], sentence: str, section: str
) -> None:
    page = signed_in(ana).post("/time/", form).content.decode()
    head, _, body = page.partition(f'<section aria-labelledby="{section}">')
    assert "it is marked below" in head
    assert sentence in body.partition("</section>")[0].partition("errorlist")[2]


def test_a_wrong_hour_is_told_once(ana: User) -> None:
    page = read(
        signed_in(ana).post("/notifications/", {"do": "mail", "mode": "digest", "digest_at": "99:99"})
    )
    assert "Enter a valid time." in page.text
    assert "Give the hour" not in page.text


def test_a_new_table_tells_of_a_bad_clock_and_of_bad_days_at_once(ana: User) -> None:
    client = signed_in(ana)
    wrong = {**usual(client, "/tables/new/gem/"), **OWN_CLOCK, "vacation_days": "999"}
    response = client.post("/tables/new/gem/", wrong)
    assert set(response.context["form"].errors) == {"bank", "vacation_days"}
    page = read(response).text
    assert page.count("the cap is no less than the bank") == 1
    assert page.count("Give 0 to 366 days of vacation") == 1
    assert not Match.objects.exists()


def test_a_short_name_that_is_taken_is_told_with_what_else_is_wrong(ana: User) -> None:
    make_event(ana, now=clock.now(), slug="winter", starts_at=clock.now() + timedelta(days=8))
    client = signed_in(ana)
    wrong = {"name": "Winter", "slug": "winter", "starts_at": "2001-01-01"}
    response = client.post("/events/new/gem/", usual(client, "/events/new/gem/") | wrong)
    assert set(response.context["form"].errors) == {"slug", "starts_at"}
    assert "There is an event called winter already" in read(response).text


def test_no_label_ends_with_a_colon_or_a_full_stop(ana: User) -> None:
    client = signed_in(ana)
    seen = 0
    for address in (
        "/time/",
        "/notifications/",
        "/you/",
        "/you/channels/",
        "/tables/new/gem/",
        "/tables/new/florentine/",
        "/tables/new/jewellers/",
        "/events/new/gem/",
        "/clubs/new/",
    ):
        for words in re.findall(r"<(?:label|legend)[^>]*>(.*?)</(?:label|legend)>", page_of(client, address)):
            seen += 1
            assert not re.sub(r"<[^>]+>", "", words).rstrip().endswith((":", ".")), (address, words)
    assert seen > 50


def page_of(client: Client, address: str) -> str:
    return client.get(address).content.decode()


@pytest.mark.parametrize(
    "address", ["/accounts/signup/", "/accounts/login/code/", "/accounts/password/reset/", "/accounts/email/"]
)
def test_a_mail_address_is_asked_for_under_one_name(ana: User, address: str) -> None:
    client = signed_in(ana) if address.endswith("email/") else Client()
    page = page_of(client, address)
    label = re.search(r'<label for="id_email">(.*?)</label>', page)
    assert label is not None
    assert label[1] == "Mail address"


@pytest.mark.parametrize(
    "address",
    ["signup/", "login/", "login/code/", "password/reset/", "email/", "password/change/", "reauthenticate/"],
)
def test_no_field_repeats_its_label_inside(ana: User, address: str) -> None:
    ana.set_password("horse battery staple")
    ana.save()
    client = (
        Client() if address in {"signup/", "login/", "login/code/", "password/reset/"} else signed_in(ana)
    )
    response = client.get(f"/accounts/{address}")
    assert response.status_code == 200
    assert "placeholder" not in response.content.decode()


def test_a_password_that_is_new_is_asked_for_without_one_too(ana: User) -> None:
    ana.set_unusable_password()
    ana.save()
    assert "placeholder" not in page_of(signed_in(ana), "/accounts/password/set/")


def test_a_label_that_stands_alone_says_what_it_is_for(ana: User) -> None:
    page = page_of(signed_in(ana), "/time/")
    assert ">Quiet from<" in page
    assert ">Quiet until<" in page
