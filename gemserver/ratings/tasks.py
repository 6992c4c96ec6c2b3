from __future__ import annotations

from gemserver.accounts.name_search import write_missing_keys
from gemserver.celery import app
from gemserver.ratings import counting, rating


@app.task
def rate_matches() -> None:
    """Rate the matches that have finished lately."""
    rating.rate_matches()


@app.task
def rate_all() -> None:
    """Rate the matches that the frequent task does not look for."""
    rating.rate_all()


@app.task
def count_matches() -> None:
    """Take finished matches into the statistics."""
    counting.count_finished()


@app.task
def count_changed() -> None:
    """Take in or out of the statistics what has been hidden or shown since; write what the search of players lacks."""
    counting.count_changed()
    write_missing_keys(5000)
