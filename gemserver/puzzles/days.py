"""The puzzle of each day: which one it is, and from when to when it is the day's for whom.

A day is that of its reader's zone. So it begins for the first readers fourteen hours before it does in UTC, and is over
for the last ones twelve hours after; until then nobody is shown its solution who has not answered.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from games import registry
from games.puzzle import Puzzle
from gemserver.accounts.models import User
from gemserver.matches.refusal import Refused
from gemserver.puzzles.models import StoredPuzzle
from gemserver.puzzles.sources import read_brought, read_stored, store

EAST, WEST = timedelta(hours=14), timedelta(hours=-12)
"""The zones that are furthest ahead of UTC, and furthest behind."""
_UTC = ZoneInfo("UTC")


def today_of(reader: User | AnonymousUser, now: datetime) -> date:
    """The day that it is for this reader; for a stranger, in UTC."""
    return now.astimezone(reader.zone if isinstance(reader, User) else _UTC).date()


def is_over(day: date, now: datetime) -> bool:
    """True once it is the next day everywhere."""
    return day < (now.astimezone(_UTC) + WEST).date()


def pose_puzzles(now: datetime) -> None:
    """Choose the puzzle of each day that has begun somewhere and has none yet; no puzzle is chosen twice.

    One that can be shown no more and that nobody has answered makes room for another.
    """
    day, last = now.astimezone(_UTC).date(), (now.astimezone(_UTC) + EAST).date()
    while day <= last:
        stored = StoredPuzzle.objects.filter(day=day).select_related("match").first()
        if stored and not can_be_read(stored) and not stored.answers.exists():
            StoredPuzzle.objects.filter(pk=stored.pk).update(day=None)
            stored = None
        if stored is None:
            _pose(day)
        day += timedelta(days=1)


def _pose(day: date) -> None:
    """Give this day a puzzle of the game that was put longest ago; those of own matches come first."""
    last = dict(StoredPuzzle.objects.exclude(day=None).values_list("game").annotate(last=Max("day")))
    for slug in sorted(registry.GAMES, key=lambda slug: (last.get(slug, date.min), slug)):
        stored = _take(slug)
        if stored:
            with suppress(IntegrityError), transaction.atomic():  # another worker may have put one meanwhile
                StoredPuzzle.objects.filter(pk=stored.pk, day=None).update(day=day)
            return


def _take(slug: str) -> StoredPuzzle | None:
    """The next puzzle of this game that may be shown; None if there is none left."""
    for stored in StoredPuzzle.objects.filter(game=slug, day=None).select_related("match").order_by("pk"):
        if can_be_read(stored):
            return stored
    brought = read_brought(slug)
    known = set(
        StoredPuzzle.objects.filter(key__in=[puzzle.key for puzzle in brought]).values_list("key", flat=True)
    )
    for puzzle in brought:
        if puzzle.key not in known and can_be_read(stored := store(puzzle)):
            return stored
    return None


def can_be_read(stored: StoredPuzzle) -> bool:
    """True if the puzzle can still be shown to everybody."""
    try:
        read_stored(stored)
    except Refused:
        return False
    return True


def posed_puzzles(reader: User | AnonymousUser, now: datetime) -> QuerySet[StoredPuzzle]:
    """The puzzles of all days that have begun for this reader, the latest first."""
    return (
        StoredPuzzle.objects.filter(day__lte=today_of(reader, now)).select_related("match").order_by("-day")
    )


def find_posed(day: date | None, reader: User | AnonymousUser, now: datetime) -> tuple[StoredPuzzle, Puzzle]:
    """The puzzle of a day, or of the reader's today. Raises Refused(no-such-puzzle, no-puzzle-today, puzzle-gone)."""
    stored = posed_puzzles(reader, now).filter(day=day or today_of(reader, now)).first()
    if stored is None and day is None:
        raise Refused(
            "no-puzzle-today", "There is no puzzle today. Look at the earlier ones, or come back tomorrow."
        )
    if stored is None:
        raise Refused("no-such-puzzle", "There is no puzzle of that day; look at the list of puzzles.")
    return stored, read_stored(stored)
