from __future__ import annotations

from gemserver.celery import app
from gemserver.matches import sweeps


@app.task
def play_bots(match_id: int | None = None) -> None:
    """Let the bots that are to move play: those of one match, or any that have waited for a while."""
    sweeps.play_bots(match_id)


@app.task
def remove_guests() -> None:
    """Take away the guests whose time is over."""
    sweeps.remove_guests()


@app.task
def act_on_deadlines() -> None:
    """Send the reminders and play the default moves that are due."""
    sweeps.act_on_deadlines()
