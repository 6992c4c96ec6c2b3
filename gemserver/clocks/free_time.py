"""Time that does not count against a player: quiet hours, free weekends, days off, stops.

All instants are aware; intervals are half-open, `(start, end)`. The running time of a prompt is its span less the
union of the free intervals; it is due at the first instant at which running time reaches the bank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from heapq import merge
from itertools import count
from typing import TypeAlias
from zoneinfo import ZoneInfo

Interval: TypeAlias = tuple[datetime, datetime]

LONGEST_QUIET = timedelta(hours=10)
"""At most, in one day."""
FOREVER = datetime.max.replace(tzinfo=UTC)
"""The end of a stop that has no end yet."""

_DAY = timedelta(days=1)
_SATURDAY, _SUNDAY = 5, 6


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Daily quiet hours by the player's wall clock; they may pass midnight (22:00 to 07:00)."""

    start: time
    end: time

    def __post_init__(self) -> None:
        """Raises ValueError if they are longer than `LONGEST_QUIET`, or empty."""
        if not timedelta(0) < self.length <= LONGEST_QUIET:
            raise ValueError("quiet hours are at most 10 hours a day")

    @property
    def length(self) -> timedelta:
        """On a day without a change of clocks."""
        return (datetime.combine(date.min, self.end) - datetime.combine(date.min, self.start)) % _DAY


@dataclass(frozen=True, slots=True)
class FreeTime:
    """The free time of one player's prompt.

    `days_off`: first and last day, both free as a whole, in the player's zone (vacation, table holiday). `stops`:
    intervals that are free for everybody (pause, credited downtime); `FOREVER` ends one that goes on.
    """

    zone: ZoneInfo
    quiet: QuietHours | None = None
    free_weekends: bool = False
    days_off: tuple[tuple[date, date], ...] = ()
    stops: tuple[Interval, ...] = ()


def due_at(prompted_at: datetime, bank: timedelta, free: FreeTime) -> datetime | None:
    """The first instant, in UTC, at which running time reaches the bank; None while a stop goes on."""
    now, left = prompted_at.astimezone(UTC), bank
    for start, end in free_intervals(now, free):
        if left <= start - now:
            break
        if end == FOREVER:
            return None
        left -= start - now
        now = end
    return now + left


def running_time(since: datetime, until: datetime, free: FreeTime) -> timedelta:
    """The time between two instants that counts against the player."""
    now, until = since.astimezone(UTC), until.astimezone(UTC)
    counted = timedelta(0)
    for start, end in free_intervals(now, free):
        if start >= until:
            break
        counted += start - now
        now = min(end, until)
    return counted + (until - now)


def next_running(at: datetime, free: FreeTime) -> datetime | None:
    """The instant itself if it counts against the player, else the end of the free time around it.

    None within a stop that goes on.
    """
    start, end = next(free_intervals(at, free), (FOREVER, FOREVER))
    if start > at:
        return at
    return end if end != FOREVER else None


def free_intervals(since: datetime, free: FreeTime) -> Iterator[Interval]:
    """All free time from `since` on: disjoint, in order, in UTC; endless if there are quiet hours or weekends."""
    current: Interval | None = None
    days_off = [whole_days(first, last, free.zone) for first, last in free.days_off]
    for start, end in merge(_recurring(since, free), sorted([*days_off, *free.stops])):
        if end <= since:
            continue
        start = max(start, since)
        if current and current[1] == FOREVER:
            break
        if current and start <= current[1]:
            current = (current[0], max(current[1], end))
            continue
        if current:
            yield current
        current = (start, end)
    if current:
        yield current


def _recurring(since: datetime, free: FreeTime) -> Iterator[Interval]:
    """Quiet hours and weekends, by their starts; endless if there are any."""
    if not free.quiet and not free.free_weekends:
        return
    # Two days earlier, since a weekend or a night that has begun is still free.
    first = since.astimezone(free.zone).date() - 2 * _DAY
    for day in (first + number * _DAY for number in count()):
        if free.free_weekends and day.weekday() in (_SATURDAY, _SUNDAY):
            yield instant(day, time.min, free.zone), instant(day + _DAY, time.min, free.zone)
        if free.quiet:
            last = day + _DAY if free.quiet.end <= free.quiet.start else day
            yield (
                instant(day, free.quiet.start, free.zone),
                instant(last, free.quiet.end, free.zone, is_end=True),
            )


def whole_days(first: date, last: date, zone: ZoneInfo) -> Interval:
    """From the beginning of `first` to the end of `last`, both in this zone."""
    return instant(first, time.min, zone), instant(last + _DAY, time.min, zone)


def instant(day: date, at: time, zone: ZoneInfo, *, is_end: bool = False) -> datetime:
    """The instant, in UTC, at which the wall clock shows this.

    An hour that comes twice: the first time for a start, the second for an end, so that all of it is free. An hour that
    is skipped: the instant at which the clocks are put forward.
    """
    wall = datetime.combine(day, at, tzinfo=zone)
    first, second = wall.astimezone(UTC), wall.replace(fold=1).astimezone(UTC)
    if second < first:
        # It is skipped: read with the offsets before and after, it lies on either side of the change.
        return _change_between(second, first, zone)
    return second if is_end else first


def _change_between(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The instant, to the second, at which the zone's offset changes between the two."""
    offset = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // 2
        middle = middle.replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after
