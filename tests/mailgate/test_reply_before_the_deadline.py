"""A reply counts by its receipt, however long it waits to be read (mail-requirements.md T3)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Match, Seat
from tests.builders import NOON, asked, make_match, make_user
from tests.mailgate.letters import letter
from tests.matches.sweeping import sweep

pytestmark = pytest.mark.django_db

DAY, MINUTE, SECOND = timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1)
DUE = NOON + DAY


@pytest.fixture
def match() -> Match:
    players = [make_user("ana"), make_user("ben")]
    return make_match(players=players, time_control=TimeControl.per_move(DAY))


def post(
    monkeypatch: pytest.MonkeyPatch,
    seat: Seat,
    *,
    before: timedelta,
    to: str | None = None,
    text: str = "bid 1",
) -> None:
    """Accept a mail with a move this long before the due time, without reading it."""
    assert seat.user
    monkeypatch.setattr(clock, "now", lambda: DUE - before)
    ingest(letter(seat, text), seat.user.email, to or seat.reply_address, "smtp", {})


def test_a_mail_received_in_time_is_read_before_the_deadline_is_acted_on(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = asked(match)
    post(monkeypatch, seat, before=SECOND)
    sweep(monkeypatch, DUE + 5 * MINUTE)
    assert match.moves.count() == 0
    processing.process_stored()
    sweep(monkeypatch, DUE + 6 * MINUTE)
    assert [(move.text, move.source) for move in match.moves.all()] == [("bid 1", "mail")]
    seat.refresh_from_db()
    assert seat.misses == 0
    assert asked(match).due_at == DUE + 5 * MINUTE + DAY, "the next player does not pay for the wait"


@pytest.mark.parametrize("address", ["account", "lobby"])
def test_a_mail_to_account_or_lobby_may_be_the_answer_too(
    match: Match, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    seat = asked(match)
    assert seat.user
    account = settings.ACCOUNT_REPLY.format(token=seat.user.token)
    post(monkeypatch, seat, before=SECOND, to=account if address == "account" else settings.PLAY_ADDRESS)
    sweep(monkeypatch, DUE)
    assert match.moves.count() == 0


@pytest.mark.parametrize(
    "written",
    [
        str,
        lambda address: address.upper().replace("Ü", "ü"),
        lambda address: f"<{address.replace('bücher', 'xn--bcher-kva')}>",
    ],
    ids=["as it is", "upper case", "ASCII in brackets"],
)
@pytest.mark.parametrize("kind", ["seat", "lobby"])
def test_an_address_counts_in_every_form_in_which_it_is_the_same(
    match: Match, monkeypatch: pytest.MonkeyPatch, settings: Any, written: Callable[[str], str], kind: str
) -> None:
    settings.PLAY_ADDRESS, settings.PLAY_REPLY = "Play@bücher.example", "Play+{token}@bücher.example"
    seat = asked(match)
    address = settings.PLAY_ADDRESS if kind == "lobby" else seat.reply_address
    post(monkeypatch, seat, before=SECOND, to=written(address))
    sweep(monkeypatch, DUE)
    assert match.moves.count() == 0


def test_mails_to_one_address_wait_for_each_other_in_whatever_form_it_is_written(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = asked(match)
    for number, to in enumerate([seat.reply_address, seat.reply_address.upper(), f"<{seat.reply_address}>"]):
        post(monkeypatch, seat, before=MINUTE - number * SECOND, to=to, text=f"say {number}")
    assert processing.claim(clock.now()) is not None
    assert processing.claim(clock.now()) is None


def test_after_ten_minutes_the_deadline_is_acted_on_with_an_alarm(
    match: Match, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    post(monkeypatch, asked(match), before=MINUTE)
    sweep(monkeypatch, DUE + 10 * MINUTE - SECOND)
    assert match.moves.count() == 0
    sweep(monkeypatch, DUE + 10 * MINUTE)
    assert match.moves.get().source == "clock"
    assert any(record.levelno == logging.ERROR and "unread" in record.message for record in caplog.records)


def test_a_mail_that_came_too_late_holds_nothing_up(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    post(monkeypatch, asked(match), before=-SECOND)
    sweep(monkeypatch, DUE + MINUTE)
    assert match.moves.get().source == "clock"


def test_the_mail_of_another_player_holds_nothing_up(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    other = match.seats.select_related("user", "match").get(is_waiting=False)
    post(monkeypatch, other, before=SECOND)
    sweep(monkeypatch, DUE)
    assert match.moves.get().source == "clock"
