"""Times of reminders: those of moves counted in running time, so that none falls into free time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from gemserver.clocks.free_time import FreeTime, due_at, instant, next_running

_MORNING = time(9)

WORTH_TELLING = timedelta(hours=6)
"""A due time postponed by at least this much after a reminder is announced once more."""
CLOSE = timedelta(hours=1)
"""A lead that is reached within this time says it too, and then nothing is announced besides."""


def reminder_times(
    prompted_at: datetime, bank: timedelta, leads: Iterable[timedelta], free: FreeTime
) -> list[datetime]:
    """The instants of the reminders, in order, without repeats.

    A lead of more than half the time given counts as that half. Reminders postponed by a stop that goes on are left
    out.
    """
    times = set()
    for lead in leads:
        reached = due_at(prompted_at, bank - min(lead, bank / 2), free)
        # The same running time is left at the beginning of a free time as at its end.
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
    """The first reminder later than `after`; None if there is none.

    `told_for`: the due time that the last reminder told. If it has been postponed since, the latest lead is due again,
    which may be at `after` itself, unless the next one is close.
    """
    leads = list(leads)
    times = reminder_times(prompted_at, bank, leads, free)
    coming = [at for at in times if at > after]
    due = due_at(prompted_at, bank, free)
    if told_for and due and due - told_for >= WORTH_TELLING and len(coming) < len(times):
        again = _told_again(due, bank, leads, len(coming), free, after)
        if again and again < due and not any(at - again <= CLOSE for at in coming):
            coming.append(again)
    return min(coming, default=None)


def end_of_vacation_told_at(last: date, zone: ZoneInfo) -> datetime:
    """The morning of a vacation's last day by the player's wall clock: the clocks run again from the next day on."""
    return instant(last, _MORNING, zone)


def _told_again(
    due: datetime,
    bank: timedelta,
    leads: Iterable[timedelta],
    coming: int,
    free: FreeTime,
    after: datetime,
) -> datetime | None:
    """The instant at which the latest lead is due again: that long before the new due time, by the wall clock.

    Its instant in running time has passed. It comes neither before `after` nor in free time, and so after the stop that
    postponed the due time. `coming`: the number of leads still to be reached.
    """
    longest_first = sorted({min(lead, bank / 2) for lead in leads}, reverse=True)
    reached_last = longest_first[len(longest_first) - coming - 1]
    return next_running(max(after, due - reached_last), free)
