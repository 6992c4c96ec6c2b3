"""A worker hears of work again, whatever its broker does; one that does not ends, so that another is started."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from redis import StrictRedis

from gemserver.lib.process.broker import WAITING
from tests.faults.supervisor import children_of
from tests.services.conftest import Services
from tests.services.daemons import Postgres
from tests.services.processes import Process, wait_for
from tests.services.site import ROOT

pytestmark = pytest.mark.slow

SILENCES = (8, 8, 8)
"""Seconds; longer than the 5 for which a worker waits for an answer."""
NAP = 0.3
"""Seconds: it ends before the worker has said anything else to a Redis that has just fallen silent."""
PATIENCE = 60


@contextmanager
def worker(
    services: Services, process: str = "worker", *, is_first: bool = True, **environment: str
) -> Iterator[Process]:
    """Run a worker by its line of the Procfile; the first one begins with empty queues."""
    command = (ROOT / "Procfile").read_text().partition(f"{process}: ")[2].partition("\n")[0]
    started = Process(
        process,
        ["sh", "-c", f"exec {command} --include tests.services.naps"],
        services.folder,
        environment={**services.environment, **environment},
        cwd=ROOT,
    )
    if is_first:
        with StrictRedis.from_url(services.redis.url) as client:
            client.flushall()  # the remains of another test
    started.start()
    try:
        wait_for(f"the {process}", lambda: " ready." in started.output, seconds=PATIENCE, watched=[started])
        yield started
    finally:
        started.kill()


def send_naps(services: Services, naps: list[float], journal: Path) -> None:
    """Send these naps, each of so many seconds."""
    nap = f"app.send_task('tests.services.naps.nap', [seconds, {str(journal)!r}])"
    services.run(f"from gemserver.celery import app\nfor seconds in {naps}: {nap}")


def words(journal: Path) -> list[str]:
    return journal.read_text().split() if journal.exists() else []


@contextmanager
def silent(process: Process) -> Iterator[None]:
    """The process is stopped: the kernel still accepts connections, and nobody answers."""
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def test_a_worker_whose_redis_was_silent_while_tasks_ended_works_again(
    migrated: Services, tmp_path: Path
) -> None:
    with worker(migrated) as process:
        for number, seconds in enumerate(SILENCES):
            journal = tmp_path / f"silence{number}"
            send_naps(migrated, [NAP] * 2, journal)
            wait_for("both naps", lambda: words(journal).count("began") == 2, seconds=PATIENCE)  # noqa: B023
            with silent(migrated.redis.process):
                time.sleep(seconds)
        last = tmp_path / "last"
        send_naps(migrated, [0] * 4, last)
        wait_for("all tasks", lambda: words(last).count("ended") == 4, seconds=PATIENCE, watched=[process])
        assert "Couldn't ack" not in process.output


BUSY = {"WORKER_CONCURRENCY": "2", "SWEEP_SECONDS": "1", "EMAIL_TIMEOUT": "1"}
HANGING = 30
"""Mails of four seconds each: more than the workers get done."""
SWEEPS = 10
"""Seconds for which beat goes on meanwhile."""


def test_the_clocks_are_looked_after_while_mails_occupy_all_workers(
    migrated: Services, tmp_path: Path
) -> None:
    busy = replace(migrated, environment={**migrated.environment, **BUSY})
    mails, looks = tmp_path / "mails", tmp_path / "looks"
    with worker(busy):
        busy.run(f"""
import time
from django.conf import settings
from gemserver.celery import app

options = settings.CELERY_BEAT_SCHEDULE["act on deadlines"].get("options", {{}})
for _ in range({HANGING}):
    app.send_task("tests.services.naps.nap", [4, {str(mails)!r}], queue="send")
for _ in range({SWEEPS}):
    app.send_task("tests.services.naps.nap", [0, {str(looks)!r}], queue="deadlines", **options)
    time.sleep(1)
""")
        before = words(looks).count("ended")
        wait_for("the next look", lambda: words(looks).count("ended") > before, seconds=10)
        assert words(mails).count("ended") < HANGING  # they were busy all the time


def test_of_many_nudges_that_nobody_takes_the_newest_stay(migrated: Services) -> None:
    with StrictRedis.from_url(migrated.redis.url) as client:
        client.flushall()
        sending = "app.send_task('gemserver.notify.tasks.send_mail', [number])"
        migrated.run(f"from gemserver.celery import app\nfor number in range({WAITING + 50}): {sending}")
        waiting = client.lrange("send", 0, -1)
        assert len(waiting) == WAITING
        newest = json.loads(b64decode(json.loads(waiting[0])["body"]))[0]
        assert newest == [WAITING + 49]


@contextmanager
def listening(folder: Path) -> Iterator[Callable[[], list[str]]]:
    """The socket of a service manager; yields a function that returns the messages since its last call."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(folder / "notify"))
        channel.setblocking(False)

        def told() -> list[str]:
            words: list[str] = []
            with suppress(BlockingIOError):
                while True:
                    words.append(channel.recv(100).decode())
            return words

        yield told


WATCHED = {"DJANGO_SETTINGS_MODULE": "tests.services.watched_settings"}
STILL = 3
"""Seconds after which such a worker checks whether work passes it by; it checks three times."""
HEARTBEAT = """INSERT INTO matches_heartbeat (duty, at) VALUES ('sweep', now()) ON CONFLICT (duty)
DO UPDATE SET at = now() RETURNING at"""


def hang_pool(process: Process) -> None:
    """Stop the processes that carry the tasks out; the worker itself goes on answering."""
    for child in children_of(process):
        os.kill(child, signal.SIGSTOP)


def sweep_elsewhere(database: Postgres, seconds: float) -> None:
    for _ in range(round(seconds * 2)):
        database.rows(HEARTBEAT)
        time.sleep(0.5)


def test_a_worker_that_messages_wait_for_in_vain_ends(migrated: Services, tmp_path: Path) -> None:
    with worker(migrated, **WATCHED) as process:
        hang_pool(process)
        send_naps(migrated, [0] * 10, tmp_path / "naps")
        wait_for("its end", lambda: process.status is not None, seconds=PATIENCE)
        assert process.status == os.EX_TEMPFAIL
        assert "takes no tasks though there are some" in process.output


def test_a_worker_that_stands_still_while_others_sweep_ends(migrated: Services, tmp_path: Path) -> None:
    with worker(migrated, WORKER_CONCURRENCY="4", **WATCHED) as process:
        hang_pool(process)
        send_naps(migrated, [0] * 4, tmp_path / "naps")  # it has taken these, and none waits at the broker
        sweep_elsewhere(migrated.postgres, 4 * STILL)
        wait_for("its end", lambda: process.status is not None, seconds=PATIENCE)
        assert process.status == os.EX_TEMPFAIL


def test_no_worker_ends_for_want_of_work(migrated: Services, tmp_path: Path) -> None:
    with worker(migrated, **WATCHED) as process:
        time.sleep(4 * STILL)
        with silent(migrated.redis.process):
            sweep_elsewhere(migrated.postgres, STILL)
            time.sleep(3 * STILL)
        with silent(migrated.postgres.process):
            time.sleep(4 * STILL)
        naps = tmp_path / "naps"
        send_naps(migrated, [0] * 3, naps)
        wait_for("its work", lambda: words(naps).count("ended") == 3, seconds=PATIENCE, watched=[process])
        assert process.status is None


def test_a_worker_that_is_long_at_work_does_not_end(migrated: Services, tmp_path: Path) -> None:
    with worker(migrated, WORKER_CONCURRENCY="1", **WATCHED) as process:
        naps = tmp_path / "naps"
        send_naps(migrated, [5 * STILL, 0, 0], naps)  # two wait at the broker meanwhile
        sweep_elsewhere(migrated.postgres, 5 * STILL)
        wait_for("its work", lambda: words(naps).count("ended") == 3, seconds=PATIENCE, watched=[process])


def test_systemd_is_told_that_a_worker_is_well_until_it_is_not(migrated: Services, tmp_path: Path) -> None:
    with (
        listening(migrated.folder) as told,
        worker(migrated, NOTIFY_SOCKET=str(migrated.folder / "notify"), **WATCHED) as process,
    ):
        time.sleep(STILL)
        assert told()[:2] == ["READY=1", "WATCHDOG=1"]
        hang_pool(process)
        send_naps(migrated, [0] * 10, tmp_path / "naps")
        wait_for("its last word", lambda: "takes no tasks" in process.output, seconds=PATIENCE)
        told()
        time.sleep(2 * STILL)
        assert told() == []
