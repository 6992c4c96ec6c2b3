"""Memory of each process, and the time until it is ready, beside the same process on a bare Django project."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.core.management import call_command

from tests.load.figures import Figure, Say
from tests.load.servers import BARE, ROOT, SITE, collect_files, environment, responds
from tests.services.daemons import Redis
from tests.services.processes import Process, answers, free_port, wait_for

ROUNDS = 3
PATIENCE = 90
SETTLE = 1.0
"""Seconds after which its children have come up too."""


@dataclass
class Kind:
    """One kind of process, ours or a bare one: how to start it, and how to see that it is ready."""

    name: str
    command: Sequence[str]
    settings: str
    is_ready: Callable[[Process, int], bool]
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)


def measure(say: Say, folder: Path) -> list[Figure]:
    """Start each three times, ours and the bare one in turn."""
    call_command("migrate", verbosity=0)
    redis = Redis(folder)
    redis.start()
    try:
        given = environment(
            os.environ["DATABASE_URL"], redis.url, WORKER_CONCURRENCY="1", WEB_CONCURRENCY="1"
        )
        collect_files(given)
        pairs = [(ours, _bare(ours)) for ours in _kinds()]
        for _ in range(ROUNDS):
            for pair in pairs:
                for kind in pair:
                    _start(kind, given, folder)
    finally:
        redis.stop()
    figures = []
    for ours, bare in pairs:
        memory = [statistics.median(kind.megabytes) for kind in (ours, bare)]
        start = [statistics.median(kind.seconds) for kind in (ours, bare)]
        beside = f"bare Django, {bare.name}"
        figures.append(Figure(f"memory, {ours.name}", memory[0], beside, memory[1], "MB", "at most", 2))
        figures.append(Figure(f"start, {ours.name}", start[0], beside, start[1], "s", "at most", 2))
    return figures


def _kinds() -> list[Kind]:
    celery = [sys.executable, "-m", "celery", "--app"]
    gunicorn = [sys.executable, "-m", "gunicorn", SITE[0], "--config", "python:gemserver.gunicorn"]
    worker = [*celery, "gemserver", "worker", "--without-gossip", "--without-mingle", "--loglevel", "INFO"]
    beat = [
        *celery,
        "gemserver.beat",
        "beat",
        "--scheduler",
        "gemserver.beat:Scheduler",
        "--loglevel",
        "INFO",
    ]
    return [
        Kind("web", gunicorn, SITE[1], lambda _process, port: responds(port)),
        Kind("worker", worker, SITE[1], lambda process, _port: " ready." in process.output),
        Kind("beat", beat, SITE[1], lambda process, _port: "maxinterval" in process.output),
        Kind(
            "mail",
            [sys.executable, "manage.py", "mail"],
            SITE[1],
            lambda _process, port: answers(port),
        ),
    ]


def _bare(ours: Kind) -> Kind:
    """The counterpart on the bare project; for our mail server, one of aiosmtpd's that discards all mail."""
    bare = {"gemserver": "tests.load.bare", "gemserver.beat": "tests.load.bare", SITE[0]: BARE[0]}
    command = [bare.get(word, word) for word in ours.command]
    if ours.name == "mail":
        command = [sys.executable, "-m", "tests.load.bare.mail"]
    return Kind(ours.name, command, BARE[1], ours.is_ready)


def _start(kind: Kind, given: Mapping[str, str], folder: Path) -> None:
    port = free_port()
    environ = {
        **given,
        "DJANGO_SETTINGS_MODULE": kind.settings,
        "PORT": str(port),
        "SMTP_PORT": str(port),
        "LOG_LEVEL": "INFO",
        "PYTHONUNBUFFERED": "1",  # a process prints that it is ready, and its output is read
    }
    process = Process(f"{kind.name}-{kind.settings}", kind.command, folder, environment=environ, cwd=ROOT)
    began = time.perf_counter()
    process.start()
    try:
        wait_for(kind.name, lambda: kind.is_ready(process, port), seconds=PATIENCE, watched=[process])
        kind.seconds.append(time.perf_counter() - began)
        time.sleep(SETTLE)
        kind.megabytes.append(_largest(process.pid))
    finally:
        process.stop()


def _largest(pid: int) -> float:
    """Megabytes of the process, or of the largest of its children; shared memory is divided equally (PSS)."""
    return max(memory_of(one) for one in [pid, *_children(pid)])


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [descendant for child in map(int, listed) for descendant in (child, *_children(child))]


def memory_of(pid: int) -> float:
    """Megabytes of the process; shared memory is divided equally (PSS)."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1024
