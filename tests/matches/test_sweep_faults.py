"""A sweep fails or is killed at each of its statements in turn: the next sweep loses and doubles nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, time, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection

from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.models import Heartbeat, Match, Move, Notice, Seat, Stop
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, is_asked, make_match, make_user, play_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="puts data back by means of SQLite"),
]

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


class Killed(BaseException):
    """Like SIGKILL: no `except Exception` catches it."""


class Fault:
    """Raises once, at statement number `number`; `was_reached` is set if there were that many."""

    def __init__(self, number: int, error: type[BaseException]) -> None:
        self.number = number
        self.was_reached = False
        self._error = error
        self._count = 0

    def __call__(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        # Only queries and changes: a killed process does not roll back, its database does.
        if sql.startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
            self._count += 1
            if self._count == self.number:
                self.was_reached = True
                raise self._error("at this statement")
        return execute(sql, *rest)


def seat_asked(match: Match) -> Seat:
    return match.seats.get(is_waiting=True)


@pytest.fixture
def matches() -> tuple[Match, Match]:
    """Two matches: at noon of the next day the first is due, and so are the second one's reminder and a digest."""
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    set_mail_mode(players[2], User.MailMode.DIGEST, now=NOON, digest_at=time(11, 30))
    due = make_match(players=players[:2], time_control=TimeControl.per_move(DAY))
    reminded = make_match(players=players[:2], time_control=TimeControl.per_move(2 * DAY))
    reader = User.objects.get(pk=players[2].pk)
    week = make_match(players=[reader, players[0]], time_control=TimeControl.per_move(7 * DAY))
    play_until(week, is_asked(reader))
    return due, reminded


def sweep_with(fault: Fault) -> None:
    with connection.execute_wrapper(fault), suppress(Killed, OperationalError):
        sweeps.act_on_deadlines()


def mails() -> list[tuple[str, int]]:
    """Kind and match of the mails that a sweep has queued."""
    told = OutboxMessage.objects.filter(kind__in=["timeout", "reminder", "digest"])
    return sorted((row.kind, row.data.get("match", 0)) for row in told)


def at_each_statement(error: type[BaseException], step: int) -> Iterator[int]:
    """Yield statement numbers (every `step`-th) until a sweep has no such statement, each time with the same data.

    When a number is yielded, the sweep has failed there. The data are restored with SQLite's own means, because a
    transaction around the test would differ from a sweep's own.
    """
    before = sqlite3.connect(":memory:")
    connection.ensure_connection()
    connection.connection.backup(before)
    number, was_reached = 1 - step, True
    while was_reached:
        number += step
        fault = Fault(number, error)
        sweep_with(fault)
        was_reached = fault.was_reached
        yield number
        before.backup(connection.connection)


FAULTS = [(Killed, 1), (OperationalError, 3)]


@pytest.mark.slow
@pytest.mark.parametrize(("error", "step"), FAULTS)
def test_every_deadline_reminder_and_digest_is_acted_on_once(
    matches: tuple[Match, Match], monkeypatch: pytest.MonkeyPatch, error: type[BaseException], step: int
) -> None:
    due, reminded = matches
    monkeypatch.setattr(clock, "now", lambda: NOON + DAY)
    Heartbeat.objects.create(duty=Heartbeat.Duty.SWEEP, at=NOON + DAY - MINUTE)
    expected = [("digest", 0), ("reminder", reminded.pk), ("timeout", due.pk)]
    for number in at_each_statement(error, step):
        sweeps.act_on_deadlines()
        assert mails() == expected, f"after a fault at statement {number}"
        assert Move.objects.filter(match=due, source=Move.Source.CLOCK).count() == 1
        assert not Stop.objects.exists()
    assert number > 50


@pytest.mark.slow
@pytest.mark.parametrize(("error", "step"), FAULTS)
def test_a_downtime_is_credited_and_told_once(
    matches: tuple[Match, Match], monkeypatch: pytest.MonkeyPatch, error: type[BaseException], step: int
) -> None:
    """Down from an hour before the first time is up: nothing is played, and everybody keeps the time they had left."""
    due, reminded = matches
    now = NOON + 3 * DAY
    monkeypatch.setattr(clock, "now", lambda: now)
    Heartbeat.objects.create(duty=Heartbeat.Duty.SWEEP, at=NOON + DAY - HOUR)
    for number in at_each_statement(error, step):
        for _ in range(2):
            sweeps.act_on_deadlines()
        check_credit(number, due, reminded, now)
    assert number > 50


def check_credit(number: int, due: Match, reminded: Match, now: datetime) -> None:
    where = f"after a fault at statement {number}"
    assert [(stop.start, stop.end) for stop in Stop.objects.all()] == [(NOON + DAY - HOUR, now)], where
    assert Notice.objects.filter(kind="downtime").count() == 3, where
    assert not Move.objects.filter(source=Move.Source.CLOCK).exists(), where
    assert seat_asked(due).due_at == now + HOUR, where
    assert seat_asked(reminded).due_at == now + HOUR + DAY, where
    assert [kind for kind, _ in mails()] in (["digest"], ["digest", "reminder"]), where
