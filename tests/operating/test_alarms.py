"""The operators hear of trouble, once, and in a way that the trouble leaves open."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from errno import ENOSPC
from io import StringIO
from pathlib import Path
from smtplib import SMTPRecipientsRefused
from types import SimpleNamespace

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.test import Client

from gemserver.celery import app
from gemserver.lib import clock
from gemserver.mailgate.ingest import ingest
from gemserver.matches import uptime
from gemserver.matches.models import Heartbeat, Match, Stop
from gemserver.notify.models import OutboxMessage
from gemserver.operating import alarms
from gemserver.operating.backup import BackupFailed
from gemserver.operating.management.commands import backup
from gemserver.operating.models import Incident
from gemserver.schedule import QUEUES, WAITING
from tests.builders import NOON, make_match, make_user
from tests.mailgate.letters import letter

pytestmark = pytest.mark.django_db

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture(autouse=True)
def operators(settings) -> None:
    settings.OPERATORS = ["ops@example.org"]


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")])


class Refusing(EmailBackend):
    """A relay that accepts nothing."""

    def send_messages(self, messages: object) -> int:
        raise ConnectionRefusedError("no")


def beat(now: datetime) -> None:
    """Record a heartbeat, as a sweep does first."""
    uptime.watch(now)


def watch_for(minutes: int, *, start: datetime = NOON, sweeping: bool = True) -> datetime:
    """Watch every minute, after a sweep if there is one; returns the last instant."""
    for minute in range(minutes + 1):
        now = start + minute * MINUTE
        if sweeping:
            beat(now)
        alarms.watch(now)
    return now


def kinds() -> list[str]:
    return list(Incident.objects.order_by("began_at").values_list("kind", flat=True))


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno == logging.ERROR and record.name == alarms.__name__
    ]


@pytest.mark.slow
def test_a_server_that_does_its_duty_alarms_nobody() -> None:
    watch_for(120)
    assert kinds() == []
    assert mail.outbox == []


@pytest.mark.slow
def test_a_scheduler_that_stands_still_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    beat(NOON)
    watch_for(90, sweeping=False)
    assert kinds() == ["scheduler"]
    assert errors(caplog) == [f"the scheduler stood still, since {NOON.isoformat()}"]
    assert [letter.to for letter in mail.outbox] == [["ops@example.org"]]
    assert "2026-03-06 12:00 UTC and goes on" in mail.outbox[0].body
    assert "beat" in mail.outbox[0].body


@pytest.mark.slow
def test_the_next_standstill_is_told_again() -> None:
    beat(NOON)
    watch_for(10, sweeping=False)
    watch_for(10, start=NOON + 11 * MINUTE)
    assert not Incident.objects.filter(ended_at=None).exists()
    watch_for(10, start=NOON + 22 * MINUTE, sweeping=False)
    assert kinds() == ["scheduler"] * 2
    assert len(mail.outbox) == 2


def test_a_standstill_that_nobody_could_see_is_told_by_the_next_sweep() -> None:
    beat(NOON)
    beat(NOON + 60 * MINUTE)
    watch_for(5, start=NOON + 60 * MINUTE)
    assert Stop.objects.filter(reason=Stop.Reason.DOWNTIME).count() == 1
    assert kinds() == ["scheduler"]
    assert len(mail.outbox) == 1
    assert "12:00 UTC and was over at 2026-03-06 13:00 UTC" in mail.outbox[0].body


@pytest.mark.slow
def test_mail_that_does_not_go_out_is_told_long_before_the_clocks_stop(match: Match) -> None:
    OutboxMessage.objects.update(attempts=2, last_error="ConnectionRefusedError()")
    watch_for(25)
    assert kinds() == ["mail"]
    assert not Stop.objects.exists()
    OutboxMessage.objects.update(state=OutboxMessage.State.SENT, sent_at=NOON + 25 * MINUTE)
    watch_for(2, start=NOON + 26 * MINUTE)
    assert not Incident.objects.filter(ended_at=None).exists()
    assert len(mail.outbox) == 1


@pytest.mark.slow
def test_an_address_that_refuses_its_mail_alarms_nobody(match: Match) -> None:
    OutboxMessage.objects.update(
        attempts=2, last_error=repr(SMTPRecipientsRefused({"ana": (550, b"5.1.1 None")}))
    )
    watch_for(60)
    assert kinds() == []


@pytest.mark.slow
def test_mail_that_no_worker_takes_is_told(match: Match) -> None:
    OutboxMessage.objects.filter(pk=OutboxMessage.objects.order_by("-pk")[0].pk).update(
        state=OutboxMessage.State.SENT, sent_at=NOON + 40 * MINUTE
    )
    watch_for(40)
    assert kinds() == ["outbox"]


@pytest.mark.slow
def test_mail_that_is_wanted_later_alarms_nobody(match: Match) -> None:
    OutboxMessage.objects.update(available_at=NOON + timedelta(days=2))
    watch_for(60)
    assert kinds() == []


@pytest.mark.slow
def test_mail_that_is_not_read_is_told(match: Match) -> None:
    OutboxMessage.objects.all().delete()
    seat = match.seats.select_related("user").get(is_waiting=True)
    ingest(letter(seat, "pass"), seat.user.email, seat.reply_address, "smtp", {}, received_at=NOON)
    watch_for(40)
    assert kinds() == ["inbox"]


@pytest.mark.slow
def test_a_deadline_that_is_not_acted_on_is_told(match: Match) -> None:
    OutboxMessage.objects.all().delete()
    match.seats.filter(is_waiting=True).update(due_at=NOON)
    watch_for(40)
    assert kinds() == ["deadlines"]


@pytest.fixture
def waiting_tasks(settings) -> Iterator[Callable[[int], None]]:
    """Fills each queue with this many tasks, as far as it holds them; they are gone after the test."""

    def fill(number: int) -> None:
        with app.connection_for_write() as connection:
            for queue in QUEUES:
                for _ in range(number):
                    app.send_task("gemserver.operating.tasks.watch", queue=queue, connection=connection)

    with app.connection_for_write() as connection:
        channel = connection.default_channel
        for queue in QUEUES:
            channel.queue_declare(queue=queue)
            channel.queue_purge(queue=queue)
        yield fill
        for queue in QUEUES:
            channel.queue_purge(queue=queue)


def test_tasks_that_pile_up_are_told(waiting_tasks: Callable[[int], None]) -> None:
    """No queue holds more than its newest messages, so that the alarm has to sound well before all are full."""
    waiting_tasks(WAITING * 3 // 5)
    watch_for(3)
    assert kinds() == ["queue"]
    assert len(mail.outbox) == 1


def test_some_tasks_in_every_queue_alarm_nobody(waiting_tasks: Callable[[int], None]) -> None:
    waiting_tasks(WAITING // 10)
    watch_for(3)
    assert kinds() == []


@pytest.mark.slow
def test_operators_who_could_not_be_told_are_told_later(settings, caplog: pytest.LogCaptureFixture) -> None:
    good, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, f"{__name__}.Refusing"
    beat(NOON)
    watch_for(30, sweeping=False)
    assert mail.outbox == []
    settings.EMAIL_BACKEND = good
    watch_for(30, start=NOON + 31 * MINUTE, sweeping=False)
    assert len(mail.outbox) == 1
    assert len(errors(caplog)) == 1


@pytest.mark.slow
def test_without_operators_the_log_is_told(settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.OPERATORS = []
    beat(NOON)
    watch_for(30, sweeping=False)
    assert mail.outbox == []
    assert len(errors(caplog)) == 1


def test_a_mail_of_an_alarm_is_not_to_be_answered_by_programs() -> None:
    beat(NOON)
    watch_for(6, sweeping=False)
    headers = mail.outbox[0].message()
    assert headers["Auto-Submitted"] == "auto-generated"
    assert headers["Message-ID"].startswith("<o.")


@pytest.fixture
def alarm_threads() -> Iterator[None]:
    """Wait for the threads that tell the operators."""
    yield
    join_alarm_threads()


def join_alarm_threads() -> None:
    for thread in threading.enumerate():
        if thread.name == "alarm":
            thread.join(10)


@pytest.mark.django_db(transaction=True)
def test_who_asks_whether_the_web_is_ready_notices_a_dead_scheduler(alarm_threads) -> None:
    now = clock.now()
    Heartbeat.objects.create(duty=Heartbeat.Duty.SWEEP, at=now - 10 * MINUTE)
    for _ in range(3):
        response = Client().get("/readyz")
        assert response.status_code == 200
        assert "the scheduler has stood still since" in response.content.decode()
        join_alarm_threads()
    assert kinds() == ["scheduler"]
    assert len(mail.outbox) == 1


def test_a_web_process_whose_scheduler_runs_says_just_that_it_is_ready() -> None:
    Heartbeat.objects.create(duty=Heartbeat.Duty.SWEEP, at=clock.now())
    assert Client().get("/readyz").content == b"ready\n"
    assert kinds() == []


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_is_told_with_the_scheduler_and_is_over_when_a_worker_looks(
    alarm_threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now()
    Heartbeat.objects.create(duty=Heartbeat.Duty.SWEEP, at=now - 10 * MINUTE)
    with monkeypatch.context() as away:
        away.setitem(app.conf, "broker_read_url", "redis://127.0.0.1:1/0")  # nothing listens on port 1
        away.setitem(app.conf, "broker_transport", "gemserver.lib.process.broker:Transport")
        assert Client().get("/readyz").status_code == 200
        join_alarm_threads()
    assert sorted(kinds()) == ["broker", "scheduler"]
    assert "Check whether Redis runs" in "".join(letter.body for letter in mail.outbox)
    watch_for(1, start=now)
    assert not Incident.objects.filter(ended_at=None).exists()


@pytest.mark.django_db(transaction=True)
def test_a_scheduler_that_is_dead_by_itself_is_no_fault_of_the_broker(alarm_threads) -> None:
    Heartbeat.objects.create(duty=Heartbeat.Duty.SWEEP, at=clock.now() - 10 * MINUTE)
    Client().get("/readyz")
    join_alarm_threads()
    assert kinds() == ["scheduler"]


def test_a_backup_that_fails_is_told_once_and_once_that_all_is_well(
    settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.BACKUP_DIR = tmp_path

    def back_up(at: datetime, error: Exception | None = None) -> None:
        monkeypatch.setattr(backup, "clock", SimpleNamespace(now=lambda: at))
        monkeypatch.setattr(backup, "_write", lambda path, now: _made(path, error))
        with suppress(CommandError):
            call_command("backup", stdout=StringIO())
        watch_for(3, start=at + MINUTE)

    back_up(NOON)
    assert told_of_backups() == []
    for night in (1, 2, 3):
        back_up(NOON + night * DAY, OSError(ENOSPC, "No space left on device"))
    (told,) = told_of_backups()
    assert "no backup was made" in told.subject
    assert "journalctl -u gem-backup" in told.body
    back_up(NOON + 4 * DAY)
    back_up(NOON + 5 * DAY)
    _, over = told_of_backups()
    assert "over: no backup was made" in over.subject
    assert "was over at" in over.body
    assert over.extra_headers["Message-ID"] != told.extra_headers["Message-ID"]
    back_up(NOON + 6 * DAY, BackupFailed("pg_dump is too old."))
    assert len(told_of_backups()) == 3, "another failure is another trouble"


def test_a_backup_that_nobody_makes_any_more_is_noticed() -> None:
    watch_for(3)
    alarms.note_backup(NOON, is_made=True)
    watch_for(3, start=NOON + timedelta(days=1))
    assert told_of_backups() == []
    watch_for(3, start=NOON + timedelta(days=2, minutes=1))
    assert len(told_of_backups()) == 1


def told_of_backups() -> list[EmailMessage]:
    """The mails to the operators about backups; the nights between are told of, too."""
    return [letter for letter in mail.outbox if "backup" in letter.subject]


def _made(path: Path, error: Exception | None) -> SimpleNamespace:
    if error:
        raise error
    path.write_bytes(b"backup")
    return SimpleNamespace(matches=1, moves=2)
