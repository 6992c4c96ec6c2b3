"""Whole days that do not count if they were announced in time: a player's vacation, a table's holiday."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from gemserver.clocks.free_time import FreeTime, due_at, whole_days

NOTICE = timedelta(hours=1)
"""A vacation counts for a prompt only if it was announced at least this long before the due time; a holiday, on which
the table agrees, needs no notice."""
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DaysOff:
    """First and last day, in the player's zone, and when it became known to everybody.

    It counts for prompts that are due at least `notice` after that.
    """

    first: date
    last: date
    known_since: datetime
    notice: timedelta = timedelta(0)

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


def with_days_off(
    free: FreeTime, days_off: Iterable[DaysOff], *, prompted_at: datetime, bank: timedelta
) -> FreeTime:
    """The free time of one prompt with the days off that were announced in time.

    No day is free before it was announced. Each is judged by the due time that the earlier ones result in.
    """
    for off in sorted(days_off, key=lambda off: off.known_since):
        due = due_at(prompted_at, bank, free)
        if due is not None and off.known_since > due - off.notice:
            continue
        start, end = whole_days(off.first, off.last, free.zone)
        start = max(start, off.known_since)
        if start < end:
            free = replace(free, stops=(*free.stops, (start, end)))
    return free


def first_days(days_off: Iterable[DaysOff], *, since: date, limit: int | None) -> list[DaysOff]:
    """The days off of which only the first `limit` days from `since` on count; None: all of them."""
    left, counted = limit, []
    for off in sorted(days_off, key=lambda off: off.first):
        off = replace(off, first=max(off.first, since))
        if left is not None:
            off = replace(off, last=min(off.last, off.first + (left - 1) * _DAY))
        if off.days > 0:
            counted.append(off)
            left = None if left is None else left - off.days
    return counted


def days_in(year: int, days_off: Sequence[DaysOff]) -> int:
    """The number of days that they take in this calendar year."""
    first, last = date(year, 1, 1), date(year, 12, 31)
    return sum(max(0, (min(off.last, last) - max(off.first, first)).days + 1) for off in days_off)
