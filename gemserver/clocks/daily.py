"""The same hour every day, by the clock on the player's wall."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from gemserver.clocks.free_time import instant


def next_daily(at: time, zone: ZoneInfo, *, after: datetime) -> datetime:
    """The first instant later than `after` at which the clock shows this; once a day, also when clocks are changed."""
    today = after.astimezone(zone).date()
    days = (today + timedelta(days=number) for number in range(3))
    return next(found for day in days if (found := instant(day, at, zone)) > after)
