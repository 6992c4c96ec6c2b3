from __future__ import annotations

from gemserver.celery import app
from gemserver.matches import sweeps


@app.task
def play_bots(match_id: int | None = None) -> None:
    """Let waiting bots move: those of one match, or any that have waited for a while."""
    sweeps.play_bots(match_id)


@app.task
def play_hard_bots(match_id: int | None = None) -> None:
    """Let waiting hard bots move, in a process of their own."""
    sweeps.play_hard_bots(match_id)


@app.task
def remove_guests() -> None:
    """Remove the guests whose time is over."""
    sweeps.remove_guests()


@app.task
def end_forgotten_tables() -> None:
    """End the tables that have waited for a month without any change."""
    sweeps.end_forgotten_tables()


@app.task
def act_on_deadlines() -> None:
    """Act on reminders, digests, sittings and deadlines that are due."""
    sweeps.act_on_deadlines()
