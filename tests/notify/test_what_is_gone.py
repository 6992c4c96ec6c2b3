"""A mail about a deleted row is skipped if the row may be deleted, and kept and tried again if it may not."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches.actions.seats.ask_sitter import propose_sitting
from gemserver.matches.mails import match_mails
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user

pytestmark = pytest.mark.django_db

State = OutboxMessage.State


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())


def find_mail(name: str) -> OutboxMessage:
    return OutboxMessage.objects.get(user__username=name)


def miss_a_row(message: OutboxMessage) -> None:
    """A writer that looks for what is never deleted, and does not find it."""
    Seat.objects.get(pk=0)


def test_a_mail_that_misses_a_row_is_kept_and_the_log_says_what_is_wrong(
    match: Match, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(match_mails, "started", miss_a_row)
        patch.setattr(match_mails, "turn", miss_a_row)
        delivery.send_queued()
    assert mail.outbox == []
    assert set(OutboxMessage.objects.values_list("state", "attempts")) == {(State.QUEUED, 1)}
    faults = [line for line in caplog.records if line.levelno == logging.ERROR]
    assert ["Seat matching query does not exist" in caplog.text, len(faults)] == [True, 2]
    assert all(line.exc_info for line in faults), "and where"
    OutboxMessage.objects.update(available_at=clock.now())
    delivery.send_queued()
    assert len(mail.outbox) == 2, "once it is mended"


def test_one_that_is_never_found_is_kept_for_the_operators(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_mails, "started", miss_a_row)
    monkeypatch.setattr(match_mails, "turn", miss_a_row)
    now = clock.now()
    OutboxMessage.objects.update(attempts=delivery.ATTEMPTS - 1)
    OutboxMessage.objects.filter(pk__gt=OutboxMessage.objects.earliest("pk").pk).delete()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=1))
    delivery.send_queued()
    assert OutboxMessage.objects.get().state == State.FAILED


def ask_to_sit(match: Match) -> str:
    """The question to a sitter, whose asker erases the account before it goes out."""
    make_user("cy")
    ana, today = User.objects.get(username="ana"), clock.now().date()
    propose_sitting(match.pk, ana, "cy", today, today + timedelta(days=3), now=clock.now())
    erase(ana, now=clock.now())
    return "cy"


def delete_match(match: Match) -> str:
    """As a guest's table is deleted with the guest."""
    match.delete()
    return "ben"


@pytest.mark.parametrize("end", [ask_to_sit, delete_match])
def test_what_may_be_deleted_is_no_fault(
    match: Match, end: Callable[[Match], str], caplog: pytest.LogCaptureFixture
) -> None:
    reader = end(match)
    delivery.send_queued()
    assert find_mail(reader).state == State.SKIPPED
    assert not [line for line in caplog.records if line.levelno >= logging.WARNING]


class LeavingBackend(EmailBackend):
    """A relay during whose work Ana erases her account; it takes the mail, or refuses it."""

    refuses = False

    def send_messages(self, messages: Any) -> int:
        messages = list(messages)
        if any("ana@example.org" in message.to for message in messages):
            erase(User.objects.get(username="ana"), now=clock.now())
            if self.refuses:
                raise ConnectionRefusedError
        return int(super().send_messages(messages))


class RefusingBackend(LeavingBackend):
    refuses = True


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("backend", [LeavingBackend, RefusingBackend])
def test_an_account_that_is_erased_while_its_mail_goes_out_holds_up_no_other(
    match: Match, backend: type[EmailBackend], settings: Any
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.{backend.__name__}"
    delivery.send_queued()
    assert not User.objects.filter(username="ana").exists()
    assert not OutboxMessage.objects.filter(state=State.QUEUED).exists()
    assert [each.to for each in mail.outbox if each.to != ["ana@example.org"]]
