"""After a clock that was an hour ahead is put right, nothing has to wait an hour."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail

from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import sweeps
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_user
from tests.mailgate.letters import letter
from tests.matches.sweeping import sweep, sweep_after_silence

pytestmark = pytest.mark.django_db

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


def test_mail_that_was_queued_by_the_wrong_clock_goes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep(monkeypatch, NOON + HOUR)
    make_match(players=[make_user("ana"), make_user("ben")], now=NOON + HOUR)
    sweep_after_silence(monkeypatch, NOON)
    delivery.send_queued()
    assert len(mail.outbox) == 2, "a mail to each player"


def test_mail_that_a_dead_worker_had_taken_up_goes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    make_match(players=[make_user("ana"), make_user("ben")], now=NOON)
    sweep(monkeypatch, NOON + HOUR)
    delivery.claim(NOON + HOUR)
    sweep_after_silence(monkeypatch, NOON)
    delivery.send_queued()
    assert len(mail.outbox) == 2


def test_mail_that_the_relay_refused_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    make_match(players=[make_user("ana"), make_user("ben")], now=NOON)
    sweep(monkeypatch, NOON + HOUR)
    OutboxMessage.objects.update(attempts=3, available_at=NOON + 2 * HOUR)
    sweep_after_silence(monkeypatch, NOON)
    delivery.send_queued()
    assert len(mail.outbox) == 2


def test_mail_that_is_to_be_sent_tomorrow_is_sent_tomorrow(monkeypatch: pytest.MonkeyPatch) -> None:
    make_match(players=[make_user("ana"), make_user("ben")], now=NOON)
    OutboxMessage.objects.update(available_at=NOON + 24 * HOUR)
    sweep(monkeypatch, NOON + HOUR)
    sweep_after_silence(monkeypatch, NOON)
    delivery.send_queued()
    assert mail.outbox == []


def test_a_worker_whose_claim_was_taken_from_it_sends_nothing() -> None:
    make_match(players=[make_user("ana"), make_user("ben")], now=NOON)
    [first, *_] = delivery.claim(NOON)
    delivery.put_clock_back(NOON, NOON - HOUR)
    delivery.deliver(first, NOON + delivery.CLAIM, delivery.Relay())
    assert mail.outbox == []


def test_mail_that_a_dead_worker_was_reading_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], now=NOON)
    seat = match.seats.select_related("user", "match").get(is_waiting=True)
    assert seat.user
    ingest(letter(seat, "bid 1"), seat.user.email, seat.reply_address, "smtp", {}, received_at=NOON)
    assert processing.claim(NOON + HOUR)
    assert processing.claim(NOON + HOUR + SECOND) is None
    monkeypatch.setattr(clock, "now", lambda: NOON)
    processing.process_stored()
    assert match.moves.get(ply=1).text == "bid 1"


def test_a_bot_that_was_asked_by_the_wrong_clock_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    match = make_match(bots=2, now=NOON + HOUR)
    monkeypatch.setattr(clock, "now", lambda: NOON)
    sweeps.play_bots()
    assert match.moves.exists()
