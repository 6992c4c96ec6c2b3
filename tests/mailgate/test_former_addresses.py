"""Reply addresses that were replaced, and those of matches that ended long ago (mail-requirements.md A4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.addresses import find_recipient
from gemserver.mailgate.ingest import ingest
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.actions.seats.renew_address import renew_address
from gemserver.matches.models import FormerAddress, Match, Seat
from gemserver.notify import delivery
from gemserver.operating.retention import forget
from tests.builders import make_match, make_user, play_to_the_end
from tests.mailgate.letters import letter

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], now=clock.now())


@pytest.fixture
def asked(match: Match) -> Seat:
    return match.seats.select_related("user", "match").get(is_waiting=True)


def write_to(address: str, raw: bytes, sender: str, **auth: str) -> InboundEmail:
    row = ingest(raw, sender, address, "smtp", auth)
    processing.process_stored()
    row.refresh_from_db()
    return row


def answers() -> list[str]:
    delivery.send_queued()
    return [str(message.body) for message in mail.outbox if "NOT done" in str(message.body)]


def test_who_writes_to_the_old_address_is_told_once_a_day(match: Match, asked: Seat) -> None:
    assert asked.user is not None
    old = asked.reply_address
    renew_address(asked.pk, now=clock.now())
    for number in range(2):
        raw = letter(asked, "bid 1", Message_ID=f"<{number}@client.example.org>", To=old)
        row = write_to(old, raw, asked.user.email)
        assert (row.state, row.code) == ("refused", "former-address")
    assert not match.moves.exists()
    (told,) = answers()
    assert "was replaced" in told


def test_nobody_else_learns_that_it_was_one(match: Match, asked: Seat) -> None:
    old = asked.reply_address
    renew_address(asked.pk, now=clock.now())
    raw = letter(asked, "bid 1", sender="eve@example.net", To=old)
    row = write_to(old, raw, "eve@example.net")
    assert (row.state, row.code, row.user) == ("dropped", "no-address", None)
    assert not answers()


def test_a_forged_mail_is_not_answered(match: Match, asked: Seat, settings: object) -> None:
    settings.MAIL_AUTH = "normal"  # type: ignore[attr-defined]
    assert asked.user is not None
    old = asked.reply_address
    renew_address(asked.pk, now=clock.now())
    assert write_to(old, letter(asked, "bid 1", To=old), asked.user.email, dmarc="fail").state == "dropped"


def test_a_former_holder_is_told_without_seeing_the_seat(match: Match, asked: Seat) -> None:
    assert asked.user is not None
    old, ana = asked.reply_address, asked.user
    reassign_seat(match.pk, asked.index, make_user("eve"), "moved away", now=clock.now())
    row = write_to(old, letter(asked, "bid 1", To=old), ana.email)
    assert row.code == "former-address"
    (told,) = answers()
    assert Seat.objects.get(pk=asked.pk).reply_address not in told
    assert not match.moves.exists()


def test_after_a_month_it_is_like_any_unknown_address(asked: Seat) -> None:
    old = asked.reply_address
    renew_address(asked.pk, now=clock.now() - timedelta(days=31))
    assert find_recipient(old) is None
    forget(clock.now())
    assert FormerAddress.objects.exists(), "it says who held a seat of a running match"
    Match.objects.update(status=Match.Status.FINISHED)
    forget(clock.now())
    assert not FormerAddress.objects.exists()


def test_the_addresses_of_a_match_outlive_it_by_two_weeks(match: Match) -> None:
    match = play_to_the_end(match, now=clock.now())
    seat = match.seats.select_related("user").first()
    assert seat is not None
    assert find_recipient(seat.reply_address, clock.now() + timedelta(days=13)) is not None
    assert find_recipient(seat.reply_address, clock.now() + timedelta(days=15)) is None
