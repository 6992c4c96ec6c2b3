from __future__ import annotations

from gemserver.celery import app
from gemserver.lib.nudge import nudge
from gemserver.study import hints, reviews


@app.task
def think() -> None:
    """Answer whoever has asked a computer player: hints first, then a piece of the oldest review."""
    hints.think_of_all()
    if reviews.go_on():
        nudge("gemserver.study.tasks.think")
