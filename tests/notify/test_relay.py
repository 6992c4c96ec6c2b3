"""A real SMTP server as the relay: mails of one claim share a connection, and losing it only delays one mail."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from threading import Event, Thread, current_thread
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from gemserver.lib import clock
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.services.processes import free_port

pytestmark = pytest.mark.django_db


class Relay:
    """Takes mails; hangs up instead of taking mail number `hangs_up_at`, counted from 1."""

    hangs_up_at = 0

    def __init__(self) -> None:
        self.peers: list[object] = []
        self.tried = 0

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Hook that aiosmtpd calls for each mail."""
        self.tried += 1
        if self.tried == self.hangs_up_at:
            assert server.transport is not None
            server.transport.close()
            return "421 good-bye"
        self.peers.append(session.peer)
        return "250 OK"


@pytest.fixture
def relay(settings: Any) -> Iterator[Relay]:
    relay = Relay()
    controller = Controller(relay, hostname="127.0.0.1", port=free_port())
    controller.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", controller.port
    make_match(players=[make_user("ana"), make_user("ben"), make_user("cy")], now=clock.now())
    yield relay
    controller.stop()


def _states() -> list[str]:
    return list(OutboxMessage.objects.order_by("available_at", "pk").values_list("state", flat=True))


def test_the_mails_of_one_claim_go_over_one_connection(relay: Relay) -> None:
    delivery.send_queued()
    assert len(relay.peers) == 3
    assert len(set(relay.peers)) == 1


def test_a_relay_that_hangs_up_keeps_back_one_mail_and_not_the_others(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay.hangs_up_at = 2
    delivery.send_queued()
    assert sorted(_states()) == ["queued", "sent", "sent"]
    assert len(set(relay.peers)) == 2, "the third mail came over a new connection"
    later = clock.now() + delivery.RETRY_FIRST
    monkeypatch.setattr(clock, "now", lambda: later)
    delivery.send_queued()
    assert set(_states()) == {"sent"}
    assert len(relay.peers) == 3


def test_name_servers_that_do_not_answer_hold_up_no_worker(
    relay: Relay, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_TIMEOUT = 0.05
    answered, waiting = Event(), set[Thread]()

    def wait(*arguments: Any, **named: Any) -> Any:
        waiting.add(current_thread())
        answered.wait(5)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", wait)
    delivery.send_queued()
    answered.set()
    assert _states() == ["queued"] * 3
    assert waiting
    assert current_thread() not in waiting
