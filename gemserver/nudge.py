"""Wakes background workers, and the waiting process, after a commit.

A nudge may be lost: every duty is a row that a sweep finds again, and every turn one that the waiting process reads.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from functools import cache
from typing import Any

from django.conf import settings
from django.db import transaction

log = logging.getLogger(__name__)

_Nudge = tuple[str, tuple[Any, ...]]

CHANNEL = "gemserver.matches"
"""Redis's channel in which the waiting process hears which matches have changed: their primary keys."""
MOMENT = 0.1
"""Seconds for which a nudge waits for others like it."""
_BACKLOG = 1000
_pending: queue.Queue[_Nudge] = queue.Queue(maxsize=_BACKLOG)
_start_lock = threading.Lock()
_publisher: threading.Thread | None = None


def nudge(task: str, *args: Any) -> None:
    """Send the task of this full name once the current transaction has committed; never raises, never waits.

    Publishing happens in a thread of its own, so that a broker that is down or hangs costs the player nothing.
    """
    if settings.NUDGES:
        transaction.on_commit(lambda: _hand_over(task, args), robust=True)


def tell_of(match: int) -> None:
    """Tell the waiting process of this match (primary key) once the current transaction has committed; like `nudge`."""
    if settings.WAITING:
        transaction.on_commit(lambda: _hand_over(CHANNEL, (match,)), robust=True)


def _hand_over(task: str, args: tuple[Any, ...]) -> None:
    _ensure_publisher()
    try:
        _pending.put_nowait((task, args))
    except queue.Full:
        log.warning("nudge backlog full, left to the sweep", extra={"task": task})


def _ensure_publisher() -> None:
    # Started on first use, hence after any fork; a forked child finds the thread dead and starts its own.
    global _publisher
    with _start_lock:
        if _publisher is None or not _publisher.is_alive():
            _publisher = threading.Thread(target=_publish_forever, name="nudge", daemon=True)
            _publisher.start()


def _publish_forever() -> None:
    while True:
        gathered = _gather()
        if matches := [str(*args) for task, args in gathered if task == CHANNEL]:
            _tell(" ".join(matches))
        for task, args in gathered:
            if task != CHANNEL:
                _publish(task, args)


def _gather() -> dict[_Nudge, None]:
    """Take the nudges to be published next, each once: many moves within a moment need one sender of mail."""
    gathered = {_pending.get(): None}
    time.sleep(MOMENT)
    while not _pending.empty():
        gathered[_pending.get()] = None
    return gathered


def _publish(task: str, args: tuple[Any, ...]) -> None:
    # Imported here because Celery is as large as Django, and only this thread has to wait for it.
    from gemserver.celery import app

    try:
        app.send_task(task, args, retry=False)
    except Exception as error:  # any broker fault: the row is committed, the sweep will find it
        log.warning("nudge not delivered, left to the sweep", extra={"task": task, "error": repr(error)})


def _tell(matches: str) -> None:
    try:
        _listeners().publish(CHANNEL, matches)
    except Exception as error:  # the waiting process reads the rows as well
        log.warning("the waiting process was not told", extra={"error": repr(error)})


@cache
def _listeners() -> Any:
    """The connection by which the waiting process is told; only the publishing thread uses it."""
    from redis import Redis

    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    return Redis.from_url(settings.CELERY_BROKER_URL, **options, **(settings.CELERY_BROKER_USE_SSL or {}))
