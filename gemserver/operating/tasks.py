from __future__ import annotations

from gemserver.celery import app
from gemserver.lib import clock
from gemserver.operating import alarms


@app.task
def watch() -> None:
    """Look for trouble and tell the operators."""
    alarms.watch(clock.now())
