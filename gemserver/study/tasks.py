from __future__ import annotations

from gemserver.celery import app
from gemserver.nudge import nudge
from gemserver.study import hints, reviews


@app.task
def think() -> None:
    """Answer whoever has asked a computer player: hints for some seconds, then a piece of the oldest review."""
    are_left = hints.think_of_all()
    if reviews.go_on() or are_left:
        nudge("gemserver.study.tasks.think")
