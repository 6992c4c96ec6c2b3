from __future__ import annotations

from gemserver.archive import build
from gemserver.celery import app
from gemserver.lib import clock


@app.task
def build_archive() -> None:
    """Build the archive's files that are missing or out of date."""
    build.build_due(clock.now())
