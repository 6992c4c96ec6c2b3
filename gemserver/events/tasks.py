from __future__ import annotations

from gemserver.celery import app
from gemserver.events import sweeps


@app.task
def hold_events() -> None:
    """Start and close seasons on their dates, pair rounds, and open matches of fixtures."""
    sweeps.hold_events()
