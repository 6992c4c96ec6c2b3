"""Finds the next time the player's wall clock shows a given hour."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from gemserver.clocks.free_time import instant


def next_daily(at: time, zone: ZoneInfo, *, after: datetime) -> datetime:
    """The first instant after `after` at which the wall clock shows this; once a day, also when clocks are changed.

    A day that the calendar of the zone leaves out (Samoa, 30 December 2011) has none.
    """
    today = after.astimezone(zone).date()
    days = (today + timedelta(days=number) for number in range(4))
    times = ((day, instant(day, at, zone)) for day in days)
    return next(found for day, found in times if found > after and found.astimezone(zone).date() == day)
