"""Running matches in which nothing happens.

Whether anybody is asked can be told only by looking at every running match, which takes a second among a million. So a
worker does it once an hour, and the start page looks at what was found.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from gemserver.matches.models import Match, Move, Seat
from gemserver.moderation.models import StuckMatch

STUCK = timedelta(days=30)
"""A running match is stuck if nothing has happened in it for this long."""
BATCH = 1000
"""Rows in one statement, which takes 65,535 values at most on PostgreSQL: after a fault all matches may be stuck."""


def find_all(now: datetime) -> None:
    """Look at all running matches, and keep those in which nothing happens. Safe to run twice, and concurrently."""
    # Last moves are looked up only in matches where somebody has been asked for that long.
    slow = Seat.objects.filter(is_waiting=True, prompted_at__lte=now - STUCK).order_by().values("match")
    running = Match.objects.filter(status=Match.Status.RUNNING).order_by().values_list("pk", flat=True)
    silent = running.filter(~Exists(_asked()))
    found = set(silent.union(running.filter(~Exists(_moved(now)), pk__in=slow)))
    known = set(StuckMatch.objects.values_list("pk", flat=True))
    over = iter(known - found)
    with transaction.atomic():
        while some := list(islice(over, BATCH)):
            StuckMatch.objects.filter(pk__in=some).delete()
        new = [StuckMatch(match_id=pk) for pk in found - known]
        StuckMatch.objects.bulk_create(new, batch_size=BATCH, ignore_conflicts=True)


def still_stuck(now: datetime) -> QuerySet[Match]:
    """Those of the found ones in which still nothing happens."""
    found = Match.objects.filter(pk__in=StuckMatch.objects.values("match"), status=Match.Status.RUNNING)
    asked_long_ago = Exists(_asked().filter(prompted_at__lte=now - STUCK))
    return found.filter(~Exists(_asked()) | (asked_long_ago & ~Exists(_moved(now))))


def _asked() -> QuerySet[Seat]:
    return Seat.objects.filter(match=OuterRef("pk"), is_waiting=True)


def _moved(now: datetime) -> QuerySet[Move]:
    return Move.objects.filter(match=OuterRef("pk"), created_at__gt=now - STUCK)
