"""Puzzles of days, for tests: those that a game brings, put on the days around now."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from games.puzzle import Puzzle
from gemserver.lib import clock
from gemserver.puzzles.models import StoredPuzzle
from gemserver.puzzles.sources import read_brought, read_stored, store


def pose(slug: str = "gem", *, ago: int = 0, now: datetime | None = None, which: int = 0) -> StoredPuzzle:
    """Put one of the game's puzzles on the day so many days ago, in UTC."""
    day: date = (now or clock.now()).date() - timedelta(days=ago)
    stored = store(read_brought(slug)[which])
    stored.day = day
    stored.save(update_fields=["day"])
    return stored


def right_move(stored: StoredPuzzle) -> str:
    return stored.best


def wrong_move(stored: StoredPuzzle) -> str:
    """The move that comes closest to the best."""
    return str(stored.worths[1][0])


def puzzle_of(stored: StoredPuzzle) -> Puzzle:
    return read_stored(stored)
