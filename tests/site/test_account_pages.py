"""Signing in and out, and a player's addresses, on pages in our layout; `test_sign_up` has signing up."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client

from gemserver.notify import delivery
from tests.builders import make_user
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


def test_a_wrong_password_is_said_on_the_page() -> None:
    make_user("ana")
    response = Client().post("/accounts/login/", {"login": "ana", "password": "wrong"})
    assert 'class="errorlist' in response.content.decode()


def test_one_button_signs_out() -> None:
    client = signed_in(make_user("ana"))
    response = client.post("/accounts/logout/", follow=True)
    assert "Board games at your own pace" in read(response).text


def test_own_addresses_are_listed() -> None:
    page = read(signed_in(make_user("ana")).get("/accounts/email/"))
    assert "ana@example.org" in page.text
    assert "/you/" in page.links


def test_only_what_can_be_done_with_ones_addresses_is_offered() -> None:
    ana = make_user("ana")
    client = signed_in(ana)

    def offered() -> set[str]:
        names = {name for name, _value in read(client.get("/accounts/email/")).buttons}
        return {name for name in names if name.startswith("action_")} - {"action_add"}

    assert offered() == set(), "one address, confirmed and for mail: there is nothing to do with it"
    other = EmailAddress.objects.create(user=ana, email="ana@example.net", verified=False)
    assert offered() == {"action_primary", "action_send", "action_remove"}
    other.verified = True
    other.save()
    assert offered() == {"action_primary", "action_remove"}, "no code is missing"


def test_another_address_is_one_s_own_once_its_code_has_come_back() -> None:
    cache.clear()
    ana = make_user("ana")
    client = signed_in(ana)
    client.post("/accounts/login/", {})
    client.post("/accounts/reauthenticate/", {"password": "password"})
    page = read(client.post("/accounts/email/", {"action_add": "", "email": "ana@example.net"}, follow=True))
    assert "We have written to ana@example.net." in page.text
    delivery.send_queued()
    code = re.search(r"[A-Z]{4}-[A-Z]{4}", str(mail.outbox[-1].body))
    assert code
    assert ana.verified_addresses() == {"ana@example.org"}
    client.post("/accounts/confirm-email/", {"code": code[0]})
    assert ana.verified_addresses() == {"ana@example.org", "ana@example.net"}


@pytest.mark.parametrize("address", ["ana@example.net", "ben@example.org"])
def test_an_address_that_waits_for_its_code_is_shown_sent_again_and_forgotten(address: str) -> None:
    """An address that is Ben's already is treated like a new one: nobody learns whose it is."""
    cache.clear()
    make_user("ben")
    client = signed_in(make_user("ana"))
    client.post("/accounts/reauthenticate/", {"password": "password"})
    client.post("/accounts/email/", {"action_add": "", "email": address})
    page = read(client.get("/accounts/email/"))
    assert f"Waits for its code {address} not confirmed" in page.text
    assert ("action", "resend") in page.buttons
    delivery.send_queued()
    cache.clear()
    client.post("/accounts/confirm-email/", {"action": "resend"})
    delivery.send_queued()
    sent = [letter for letter in mail.outbox if letter.to == [address]]
    assert len(sent) == 2
    assert "is forgotten" in read(client.post("/accounts/email/", {"action_forget": ""}, follow=True)).text
    assert address not in read(client.get("/accounts/email/")).text


@pytest.mark.parametrize(
    "page", ["email", "inactive", "logout", "password/change", "reauthenticate", "sessions"]
)
def test_german_pages_of_the_account_say_du(page: str) -> None:
    """Including allauth's own sentences, which say "Sie"."""
    client = signed_in(make_user("ana", language="de"))
    response = client.get(f"/accounts/{page}/")
    assert '<html lang="de"' in response.content.decode()
    assert not re.search(r"\b(Sie|Ihr|Ihre[mnr]?|Ihnen)\b", read(response).text)


def test_signing_in_says_what_to_write_into_its_first_field() -> None:
    page = read(Client().get("/accounts/login/")).text
    assert "Name or mail address" in page
