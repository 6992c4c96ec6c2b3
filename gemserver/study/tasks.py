from __future__ import annotations

from gemserver.celery import app
from gemserver.study import hints


@app.task
def think() -> None:
    """Answer whoever has asked a computer player."""
    hints.think_of_all()
