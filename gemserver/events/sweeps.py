"""Finds seasons and fixtures whose time has come and hands each to its action.

Two sweeps at once do no harm: each action checks again under its lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime

from django.db.models import Q

from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.open_match import open_match
from gemserver.events.actions.pair_round import pair_round
from gemserver.events.actions.start_season import start_season
from gemserver.events.arithmetic.budget import CLOSING
from gemserver.events.models import Event, Fixture, Season
from gemserver.lib import clock

log = logging.getLogger(__name__)

BATCH = 200
"""Matches that one sweep opens at most; the next one takes the rest."""


def hold_events() -> None:
    """Close and start seasons on their dates, pair rounds, and open the matches of fixtures that have none.

    Seasons of closed clubs are called off before their date.
    """
    now = clock.now()
    running = Season.objects.filter(state=Season.State.RUNNING)
    _each("closing", _keys(running.filter(ends_at__lte=now)), lambda pk: close_season(pk, by=None, now=now))
    of_closed_club = Q(event__club__closed_at__isnull=False)
    due = Season.objects.filter(of_closed_club | Q(starts_at__lte=now), state=Season.State.ENTERING)
    _each("start", _keys(due), lambda pk: start_season(pk, by=None, now=now))
    paired = running.filter(event__format=Event.Format.SWISS, ends_at__gt=now)
    _each("round", _keys(paired), lambda pk: pair_round(pk, now=now))
    _each("match", _to_open(now)[:BATCH], lambda pk: open_match(pk, now=now))


def _to_open(now: datetime) -> list[int]:
    waiting = Fixture.objects.filter(
        match=None, adjudicated_at=None, division__season__state=Season.State.RUNNING
    )
    return list(
        waiting.filter(division__season__ends_at__gt=now + CLOSING)
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def _keys(seasons: Iterable[Season]) -> list[int]:
    return [season.pk for season in seasons]


def _each(kind: str, keys: Iterable[int], act: Callable[[int], object]) -> None:
    """One that fails is told of and does not hold the others up."""
    for key in keys:
        try:
            act(key)
        except Exception:
            log.exception("events: %s %s failed", kind, key)
