"""Signing up: the confirmation comes by the outbox, and its link is kept no longer than it takes to send it."""

from __future__ import annotations

import re

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from gemserver.accounts.models import User
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage

pytestmark = pytest.mark.django_db

NEWCOMER = {
    "email": "dee@example.org",
    "username": "dee",
    "password1": "a-Long-passphrase-7",
    "password2": "a-Long-passphrase-7",
}


@pytest.fixture(autouse=True)
def _forget_rate_limits() -> None:
    cache.clear()


def sign_up(client: Client) -> None:
    assert client.post("/accounts/signup/", NEWCOMER).status_code == 302


def test_the_confirmation_is_queued_and_its_link_makes_the_address_verified(client: Client) -> None:
    sign_up(client)
    assert mail.outbox == [], "nothing is sent within the request"
    delivery.send_queued()
    (confirmation,) = mail.outbox
    assert confirmation.to == ["dee@example.org"]
    link = re.search(r"https?://\S+(/accounts/confirm-email/\S+)", confirmation.body)
    assert link is not None
    user = User.objects.get(username="dee")
    assert user.verified_addresses() == frozenset()
    client.get(link[1])
    assert user.verified_addresses() == frozenset(), "looking at the link confirms nothing"
    client.post(link[1])
    assert user.verified_addresses() == {"dee@example.org"}


def test_what_was_secret_is_gone_from_the_row_once_it_is_sent(client: Client) -> None:
    sign_up(client)
    row = OutboxMessage.objects.get()
    assert "confirm-email" in str(row.data)
    delivery.send_queued()
    row.refresh_from_db()
    assert row.state == "sent"
    assert "secret" not in row.data


def test_a_relay_that_is_down_is_not_shown_to_who_signs_up(client: Client, settings: object) -> None:
    settings.EMAIL_BACKEND = "tests.notify.test_delivery.DownBackend"  # type: ignore[attr-defined]
    sign_up(client)
    delivery.send_queued()
    row = OutboxMessage.objects.get()
    assert row.state == "queued"
    assert "secret" in row.data, "it is still to be sent"
