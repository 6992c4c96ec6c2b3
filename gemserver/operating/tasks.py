from __future__ import annotations

from gemserver.celery import app
from gemserver.lib import clock
from gemserver.operating import alarms, retention


@app.task
def watch() -> None:
    """Look for trouble and tell the operators."""
    alarms.watch(clock.now())


@app.task
def forget_old_data() -> None:
    """Take away what is kept no longer."""
    retention.forget(clock.now())
