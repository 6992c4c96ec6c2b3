"""Signing up: the code comes through the outbox, and stays there no longer than it takes to send it."""

from __future__ import annotations

import logging

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage

pytestmark = pytest.mark.django_db

NEWCOMER = {"email": "dee@example.org", "username": "dee"}


@pytest.fixture(autouse=True)
def _forget_rate_limits() -> None:
    cache.clear()


def sign_up(client: Client) -> None:
    assert client.post("/accounts/signup/", NEWCOMER).status_code == 302


def test_the_code_is_queued_and_sent_as_text_and_html(client: Client) -> None:
    sign_up(client)
    assert mail.outbox == [], "nothing is sent within the request"
    code = OutboxMessage.objects.get().data["secret"]["code"]
    delivery.send_queued()
    (message,) = mail.outbox
    assert message.to == ["dee@example.org"]
    assert f"\n    {code}\n" in str(message.body)
    (html,) = [part for part, kind in message.alternatives if kind == "text/html"]
    assert str(html).count(code) == 1


def test_no_log_tells_the_code(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        sign_up(client)
        code = OutboxMessage.objects.get().data["secret"]["code"]
        client.post("/accounts/confirm-email/", {"code": "BBBB-BBBB"})
        client.post("/accounts/confirm-email/", {"code": code})
        delivery.send_queued()
    assert "/accounts/confirm-email/" in caplog.text
    assert code not in caplog.text


def test_what_was_secret_is_gone_from_the_row_once_it_is_sent(client: Client) -> None:
    sign_up(client)
    row = OutboxMessage.objects.get()
    assert row.data["secret"]["code"]
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
