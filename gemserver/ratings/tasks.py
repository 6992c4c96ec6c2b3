from __future__ import annotations

from gemserver.celery import app
from gemserver.ratings import rating


@app.task
def rate_matches() -> None:
    """Rate the matches that have finished lately."""
    rating.rate_matches()


@app.task
def rate_all() -> None:
    """Rate the matches that the frequent task does not look for."""
    rating.rate_all()
