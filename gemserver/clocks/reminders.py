"""When a player is reminded of a prompt: counted in running time, so that no reminder falls into time that is free."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from gemserver.clocks.free_time import FreeTime, due_at, next_running

DEFAULT_LEADS = (timedelta(hours=24), timedelta(hours=4))
"""How much running time is left at each reminder, unless the player wishes otherwise."""
WORTH_TELLING = timedelta(hours=6)
"""A due time that was put off by this much or more after a reminder is told of once more."""


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
    told_for: datetime | None = None,
) -> datetime | None:
    """The first reminder later than `after`; None when there is none.

    `told_for`: the due time of which the last reminder told. When it has been put off since, the lead that was
    reached last is told of again, which may be at `after` itself.
    """
    leads = list(leads)
    times = reminder_times(prompted_at, bank, leads, free)
    coming = [at for at in times if at > after]
    due = due_at(prompted_at, bank, free)
    if told_for and due and due - told_for >= WORTH_TELLING and len(coming) < len(times):
        again = _told_again(due, bank, leads, len(coming), free, after)
        if again and again < due:
            coming.append(again)
    return min(coming, default=None)


def _told_again(
    due: datetime,
    bank: timedelta,
    leads: Iterable[timedelta],
    coming: int,
    free: FreeTime,
    after: datetime,
) -> datetime | None:
    """When the lead that was reached last comes once more: so long before the new due time by the clock on the wall.

    In running time its instant has passed. Neither before `after` nor in free time, so behind the stop that has put
    the due time off. `coming`: how many leads are still to be reached.
    """
    longest_first = sorted({min(lead, bank / 2) for lead in leads}, reverse=True)
    reached_last = longest_first[len(longest_first) - coming - 1]
    return next_running(max(after, due - reached_last), free)
