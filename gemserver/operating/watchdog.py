"""Ends a worker that does no work although there is some, so that its supervisor starts another.

It is judged by the tasks it takes, not by whether it answers: a worker can answer every ping and hear of no task. It is
deaf if it has nothing in hand and takes nothing while messages wait for it at the broker, or while others go on
sweeping. Without a broker, a database or a scheduler, work that passes it by cannot be seen, and no worker is ended.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import billiard  # type: ignore[import-untyped]
from celery.worker import state
from django.conf import settings
from django.db import DatabaseError, connection

from gemserver.celery import app
from gemserver.lib.process import service_manager
from gemserver.matches.models import Heartbeat
from gemserver.operating.task_queues import count_waiting_tasks

log = logging.getLogger(__name__)

LOOKS = 3
"""Looks in a row at which work passed the worker by, before it is ended."""
GRACE = 30
"""Seconds that it has to end by itself."""
STATUS = os.EX_TEMPFAIL
"""Exit status of the worker."""
LONGEST_TASK = 60 + max(
    settings.CELERY_TASK_TIME_LIMIT,
    *(limit["time_limit"] for limit in settings.CELERY_TASK_ANNOTATIONS.values()),
)
"""Seconds after which a task must be over, even one killed for taking too long."""
PING_EVERY = 5.0
"""Seconds between two messages to systemd; far less than its WatchdogSec."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Signs of work at one look; None and False if nobody answered."""

    swept_at: datetime | None
    waits: bool


class Watchdog:
    """Watches whether this process takes tasks."""

    def __init__(self) -> None:
        self._taken, self._since = state.all_total_count[0], time.monotonic()
        self._before: Sight | None = None
        self._passed_by = 0

    def is_deaf(self) -> bool:
        """True if work passed the worker by at each of the last `LOOKS` looks; to be called at intervals."""
        taken, now = state.all_total_count[0], time.monotonic()
        if taken != self._taken:
            self._taken, self._since, self._before, self._passed_by = taken, now, None, 0
        # Even a task in hand must end some day.
        if now - self._since < (LONGEST_TASK if state.active_requests else settings.WORKER_STILL):
            return False
        sight = _look()
        is_passed_by = self._before is not None and _went_on(self._before, sight)
        self._before, self._passed_by = sight, self._passed_by + 1 if is_passed_by else 0
        return self._passed_by >= LOOKS


def watch() -> None:
    """Watch this worker from now on, in a thread."""
    service_manager.notify("READY=1")
    threading.Thread(target=_watch_forever, name="watchdog", daemon=True).start()


def _watch_forever() -> None:
    watchdog, every = Watchdog(), settings.WORKER_STILL / LOOKS
    next_look = time.monotonic() + every
    while True:
        if time.monotonic() >= next_look:
            if watchdog.is_deaf():
                _end()
            next_look = time.monotonic() + every
        service_manager.notify("WATCHDOG=1")
        time.sleep(min(PING_EVERY, every))


def _look() -> Sight:
    waiting = count_waiting_tasks(app.amqp.queues.consume_from)
    try:
        swept_at = Heartbeat.objects.filter(duty=Heartbeat.Duty.SWEEP).values_list("at", flat=True).first()
    except DatabaseError as error:
        log.info("the database does not answer: %s", type(error).__name__)
        swept_at = None
    finally:
        # If it stayed open, each new process of the pool would inherit it.
        with suppress(DatabaseError):
            connection.close()
    return Sight(swept_at, bool(waiting))


def _went_on(before: Sight, sight: Sight) -> bool:
    """True if there was work between the two looks; this worker has taken none."""
    others_sweep = None not in (before.swept_at, sight.swept_at) and before.swept_at != sight.swept_at
    return others_sweep or (before.waits and sight.waits)


def _end() -> None:
    """Stop as if by SIGTERM, if the worker still can; otherwise at once."""
    log.critical("this worker takes no tasks though there are some; it ends, to be started again")
    state.should_stop = STATUS
    time.sleep(GRACE)
    for child in billiard.active_children():
        with suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
    os._exit(STATUS)
