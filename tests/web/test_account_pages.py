"""Signing up, in and out on pages that look like the others."""

from __future__ import annotations

import re

import pytest
from django.core import mail
from django.test import Client

from gemserver.accounts.models import User
from gemserver.notify import delivery
from tests.builders import make_user
from tests.web.pages import read, signed_in

pytestmark = pytest.mark.django_db


def sent_mails() -> list[str]:
    delivery.send_queued()
    return [str(message.body) for message in mail.outbox]


def test_sign_up_confirm_the_address_and_sign_in() -> None:
    client = Client()
    form = {
        "email": "ana@example.org",
        "username": "ana",
        "password1": "a long and winding road",
        "password2": "a long and winding road",
    }
    response = client.post("/accounts/signup/", form, follow=True)
    assert response.status_code == 200
    (text,) = sent_mails()
    link = re.search(r"http://[^/\s]+(/accounts/confirm-email/\S+)", text)
    assert link is not None
    page = read(client.get(link[1]))
    assert "ana@example.org" in page.text
    client.post(link[1])
    assert User.objects.get(username="ana").verified_addresses() == {"ana@example.org"}
    entered = Client()
    response = entered.post(
        "/accounts/login/", {"login": "ana@example.org", "password": form["password1"]}, follow=True
    )
    assert "Hello ana" in read(response).text


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
    assert "/accounts/password/change/" in page.links
