"""Free time the slow way: looks at the player's wall clock minute by minute.

It shares no arithmetic with `gemserver.clocks.free_time`: it only reads a long list of wall times.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from gemserver.clocks.free_time import FreeTime

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
_BEFORE = 3 * DAY
"""A night or a skipped day that began this long before `since` is still found."""

CHANGES = (
    ("Europe/Paris", date(2026, 3, 29)),
    ("Europe/Paris", date(2026, 10, 25)),
    ("America/New_York", date(2026, 3, 8)),
    ("America/New_York", date(2026, 11, 1)),
    ("Australia/Sydney", date(2026, 4, 5)),
    ("Australia/Sydney", date(2026, 10, 4)),
    ("Australia/Lord_Howe", date(2026, 4, 5)),  # by half an hour
    ("Australia/Lord_Howe", date(2026, 10, 4)),
    ("Asia/Kathmandu", date(2026, 3, 29)),  # never changes; 5:45 from Greenwich
    ("America/Havana", date(2026, 3, 8)),  # midnight is skipped
    ("America/Havana", date(2026, 11, 1)),  # midnight comes twice
    ("America/Nuuk", date(2026, 10, 25)),  # the last hour of the day comes twice
    ("Pacific/Apia", date(2011, 12, 30)),  # there was no such day
    ("UTC", date(2028, 2, 29)),
    ("Europe/Paris", date(2028, 2, 29)),
)
"""Zones, with days on which their clocks or calendars change."""


@dataclass(frozen=True, slots=True)
class Minutes:
    """The minutes from `since` on, each free (True) or counting against the player."""

    since: datetime
    free: list[bool]

    def running(self, minutes: int) -> timedelta:
        """The part of the first minutes that counts."""
        return MINUTE * (minutes - sum(self.free[:minutes]))

    def due(self, bank: timedelta) -> datetime | None:
        """The end of the minute in which this much has counted; None if that is beyond the list."""
        left = bank // MINUTE
        for number, is_free in enumerate(self.free):
            left -= not is_free
            if not left:
                return self.since + (number + 1) * MINUTE
        return None


def look(since: datetime, length: timedelta, free: FreeTime) -> Minutes:
    """Look at the wall clock in every minute of this span, which is a whole number of minutes, like everything here."""
    begin = since - _BEFORE
    instants = [begin + number * MINUTE for number in range((_BEFORE + length) // MINUTE)]
    walls = [at.astimezone(free.zone).replace(tzinfo=None) for at in instants]
    seen = [
        (free.free_weekends and wall.weekday() >= 5)
        or any(first <= wall.date() <= last for first, last in free.days_off)
        or any(start <= at < end for start, end in free.stops)
        for at, wall in zip(instants, walls, strict=True)
    ]
    for start, end in _nights(walls, free):
        seen[start:end] = [True] * (end - start)
    return Minutes(since, seen[_BEFORE // MINUTE :])


def _nights(walls: list[datetime], free: FreeTime) -> list[tuple[int, int]]:
    """First minute, and first minute after, of the quiet hours of each day that the calendar has or skips."""
    if free.quiet is None:
        return []
    first = {wall: number for number, wall in reversed(list(enumerate(walls)))}
    last = {wall: number for number, wall in enumerate(walls)}
    # The highest time so far, because an hour comes twice: a sorted list can be searched.
    highest = list(walls)
    for number in range(1, len(highest)):
        highest[number] = max(highest[number], highest[number - 1])
    nights = []
    for number in range((walls[-1].date() - walls[0].date()).days + 2):
        day = walls[0].date() - DAY + number * DAY
        start = datetime.combine(day, free.quiet.start)
        end = datetime.combine(day, free.quiet.end)
        if end <= start:
            end += DAY
        # A time that the clock never shows has come once the clock has passed it.
        nights.append(
            (
                first.get(start, bisect_right(highest, start)),
                last.get(end, bisect_right(highest, end)),
            )
        )
    return nights


@st.composite
def around_changes(draw: st.DrawFn) -> tuple[ZoneInfo, datetime]:
    """A zone, and an instant within two days of a change of its clock or calendar."""
    name, day = draw(st.sampled_from(CHANGES))
    zone = ZoneInfo(name)
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=ZoneInfo("UTC"))
    return zone, noon + draw(st.integers(-2 * 1440, 2 * 1440)) * MINUTE
