"""When a player is reminded of a prompt: counted in running time, so that no reminder falls into time that is free."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from gemserver.clocks.free_time import FreeTime, due_at, next_running

DEFAULT_LEADS = (timedelta(hours=24), timedelta(hours=4))
"""How much running time is left at each reminder, unless the player wishes otherwise."""


def reminder_times(
    prompted_at: datetime, bank: timedelta, leads: Iterable[timedelta], free: FreeTime
) -> list[datetime]:
    """The instants of the reminders, in order, all of them different.

    A lead of more than half the time given counts as that half. What a stop that goes on puts off is left out.
    """
    times = set()
    for lead in leads:
        reached = due_at(prompted_at, bank - min(lead, bank / 2), free)
        # At the very beginning of a free time the same running time is left as at its end.
        running = reached and next_running(reached, free)
        if running:
            times.add(running)
    return sorted(times)


def next_reminder(
    prompted_at: datetime,
    bank: timedelta,
    leads: Iterable[timedelta],
    free: FreeTime,
    *,
    after: datetime,
) -> datetime | None:
    """The first reminder later than `after`; None when there is none."""
    return next((at for at in reminder_times(prompted_at, bank, leads, free) if at > after), None)
