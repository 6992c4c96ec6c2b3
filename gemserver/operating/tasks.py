from __future__ import annotations

from celery import signals
from django.conf import settings

from gemserver.celery import app
from gemserver.lib import clock
from gemserver.operating import alarms, partitions, retention, watchdog


@signals.worker_init.connect
def watch_own_work(**kwargs: object) -> None:
    """End this worker if it does nothing although there is work; the embedded one ends with its server."""
    if settings.PRODUCTION:
        watchdog.watch()


@app.task
def watch() -> None:
    """Look for trouble and tell the operators."""
    alarms.watch(clock.now())


@app.task
def forget_old_data() -> None:
    """Delete data whose time is over."""
    retention.forget(clock.now())


@app.task
def keep_partitions() -> None:
    """Make partitions ahead of time and drop those whose time is over."""
    partitions.keep(clock.now())
