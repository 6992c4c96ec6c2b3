from __future__ import annotations

from gemserver.celery import app
from gemserver.lib import clock
from gemserver.moderation import anchors, stuck_matches, timed_bans


@app.task
def tell_end_of_audit_log() -> None:
    """Tell the operators once a day where the audit log ends."""
    anchors.tell_daily(clock.now())


@app.task
def find_stuck_matches() -> None:
    """Find the matches in which nothing happens, for the moderators' start page."""
    stuck_matches.find_all(clock.now())


@app.task
def end_timed_bans() -> None:
    """End the bans and mutes whose time is over."""
    timed_bans.end_all(clock.now())
