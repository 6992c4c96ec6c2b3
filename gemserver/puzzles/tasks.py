from __future__ import annotations

from gemserver.celery import app
from gemserver.lib import clock
from gemserver.puzzles import days, finding, subscribing


@app.task
def pose_puzzles() -> None:
    """Choose the puzzles of the days that have begun, and send them to whoever wants them now."""
    now = clock.now()
    days.pose_puzzles(now)
    subscribing.send_due(now)


@app.task
def find_puzzles() -> None:
    """Look for puzzles in finished matches, for some seconds."""
    finding.find_more()
