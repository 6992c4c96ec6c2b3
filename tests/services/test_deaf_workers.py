"""A worker hears of work again, whatever its broker does; one that does not ends, so that another is started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.services.conftest import Services
from tests.services.processes import Process, wait_for
from tests.services.site import ROOT

SILENCES = (8, 8, 8)
"""Seconds; longer than the 5 for which a worker waits for an answer."""
NAP = 0.3
"""Seconds: it ends before the worker has said anything else to a Redis that has just fallen silent."""
PATIENCE = 60


@contextmanager
def worker(services: Services, **environment: str) -> Iterator[Process]:
    command = (ROOT / "Procfile").read_text().partition("worker: ")[2].partition("\n")[0]
    process = Process(
        "worker",
        ["sh", "-c", f"exec {command} --include tests.services.naps"],
        services.folder,
        environment={**services.environment, **environment},
        cwd=ROOT,
    )
    process.start()
    try:
        wait_for("the worker", lambda: " ready." in process.output, seconds=PATIENCE, watched=[process])
        yield process
    finally:
        process.kill()


def send_naps(services: Services, number: int, seconds: float, journal: Path) -> None:
    code = (
        "from gemserver.celery import app\n"
        f"for _ in range({number}): app.send_task('tests.services.naps.nap', [{seconds}, {str(journal)!r}])"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=dict(services.environment), check=True)


def words(journal: Path) -> list[str]:
    return journal.read_text().split() if journal.exists() else []


@contextmanager
def silent(process: Process) -> Iterator[None]:
    """The process stands still: the kernel goes on accepting connections, and nobody answers."""
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def test_a_worker_whose_redis_was_silent_while_tasks_ended_works_again(
    services: Services, tmp_path: Path
) -> None:
    with worker(services) as process:
        for number, seconds in enumerate(SILENCES):
            journal = tmp_path / f"silence{number}"
            send_naps(services, 2, NAP, journal)
            wait_for("both naps", lambda: words(journal).count("began") == 2, seconds=PATIENCE)  # noqa: B023
            with silent(services.redis.process):
                time.sleep(seconds)
        last = tmp_path / "last"
        send_naps(services, 4, 0, last)
        wait_for("all tasks", lambda: words(last).count("ended") == 4, seconds=PATIENCE, watched=[process])
        assert "Couldn't ack" not in process.output
