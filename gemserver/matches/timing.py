"""The clock of a seat: which time is free for its present prompt, when it is due, when its player is reminded.

`due_at` and `remind_at` of a seat are caches of what is computed here; `set_alarms` writes both.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Q

from gemserver.accounts.models import Hours, User
from gemserver.clocks import free_time, reminders
from gemserver.clocks.days_off import NOTICE, DaysOff, first_days, with_days_off
from gemserver.clocks.free_time import FOREVER, FreeTime, Interval, QuietHours
from gemserver.matches.models import Heartbeat, Holiday, Match, Seat, Stop

DOWNTIME_LIMIT = timedelta(minutes=5)
"""A longer time without a sweep is credited to all clocks."""
_INSTANT = timedelta(microseconds=1)
"""The shortest time there is."""


def free_time_of(match: Match, seat: Seat) -> FreeTime:
    """What is free for the present prompt of a seat that no bot holds."""
    assert seat.prompted_at is not None
    stops = _stops(match, seat.prompted_at)
    if seat.user is None:
        return FreeTime(ZoneInfo("UTC"), free_weekends=match.free_weekends, stops=stops)
    hours = seat.user.hours_at(seat.prompted_at)
    return with_days_off(
        FreeTime(hours.zone, _quiet(hours), match.free_weekends, stops=stops),
        [*_vacations(match, seat.user), *_holidays(match)],
        prompted_at=seat.prompted_at,
        bank=seat.clock_left,
    )


def _vacations(match: Match, user: User) -> list[DaysOff]:
    """The player's days off as far as they count in this match."""
    began = (match.started_at or match.created_at).date()
    rows = user.vacations.filter(last__gte=began)
    days_off = [DaysOff(row.first, row.last, row.announced_at, NOTICE) for row in rows]
    return first_days(days_off, since=began, limit=match.vacation_days)


def _holidays(match: Match) -> list[DaysOff]:
    agreed = match.holidays.filter(outcome=Holiday.Outcome.AGREED)
    return [DaysOff(row.first, row.last, row.settled_at) for row in agreed if row.settled_at]


def _quiet(hours: Hours) -> QuietHours | None:
    if hours.quiet_start is None or hours.quiet_end is None:
        return None
    return QuietHours(hours.quiet_start, hours.quiet_end)


def _stops(match: Match, since: datetime) -> tuple[Interval, ...]:
    """Pauses and credited downtime that reach beyond `since`."""
    rows = Stop.objects.filter(Q(match=match) | Q(match=None)).filter(Q(end=None) | Q(end__gt=since))
    return tuple((start, end or FOREVER) for start, end in rows.values_list("start", "end"))


def due_at(match: Match, seat: Seat) -> datetime | None:
    """When the present prompt runs out, computed anew; None while the clock stands still."""
    assert seat.prompted_at is not None
    return free_time.due_at(seat.prompted_at, seat.clock_left, free_time_of(match, seat))


def time_left(match: Match, seat: Seat, now: datetime) -> timedelta:
    """What is left of the bank at this instant; below zero when the prompt has run out.

    The time since the last sweep does not count when the next one will credit it.
    """
    assert seat.prompted_at is not None
    # A mail may have reached us before the prompt that it answers was put.
    until = max(now, seat.prompted_at)
    free = free_time_of(match, seat)
    free = replace(free, stops=(*free.stops, *_missed(until)))
    return seat.clock_left - free_time.running_time(seat.prompted_at, until, free)


def _missed(until: datetime) -> list[Interval]:
    """The time without sweeps that this instant lies in, if it is long enough to be credited."""
    swept = Heartbeat.objects.filter(duty=Heartbeat.Duty.SWEEP, at__lt=until - DOWNTIME_LIMIT)
    return [(at, until) for at in swept.values_list("at", flat=True)]


def set_alarms(match: Match, seat: Seat, now: datetime) -> None:
    """Compute when the present prompt runs out and when its player is reminded next, later than `now`.

    The caller saves `due_at` and `remind_at`.
    """
    assert seat.prompted_at is not None
    leads = seat.user.reminder_leads if seat.user else ()
    free = free_time_of(match, seat)
    seat.due_at = free_time.due_at(seat.prompted_at, seat.clock_left, free)
    seat.remind_at = reminders.next_reminder(
        seat.prompted_at, seat.clock_left, leads, free, after=now, told_for=seat.reminded_for
    )


def renew_alarms(match: Match, seat: Seat, now: datetime) -> None:
    """The same for a prompt whose alarms are set: a reminder that has fallen due and is not decided is not lost."""
    decided = min(now, seat.remind_at - _INSTANT) if seat.remind_at else now
    set_alarms(match, seat, decided)
    if seat.due_at is None:
        seat.remind_at = None


def is_told_again(match: Match, seat: Seat) -> bool:
    """Whether the reminder that has fallen due is one that was sent before, for a due time that was put off since."""
    assert seat.prompted_at is not None
    if seat.reminded_for is None or seat.user is None:
        return False
    leads = seat.user.reminder_leads
    times = reminders.reminder_times(seat.prompted_at, seat.clock_left, leads, free_time_of(match, seat))
    return seat.remind_at not in times


def is_stopped_at(match: Match, at: datetime) -> bool:
    """Whether all clocks of the match stood still at this instant, by what is known by now."""
    stops = Stop.objects.filter(Q(match=match) | Q(match=None), start__lte=at)
    return stops.filter(Q(end=None) | Q(end__gt=at)).exists()


def is_due(match: Match, seat: Seat, now: datetime) -> bool:
    """Whether the prompt has run out, by the arithmetic and not by the cache; a cache found wrong is put right."""
    due = due_at(match, seat)
    if due is not None and due <= now:
        return True
    renew_alarms(match, seat, now)
    seat.save(update_fields=["due_at", "remind_at"])
    return False


def reset_alarms(match: Match, now: datetime) -> None:
    """Compute and save the alarms of all players who are asked, after what is free has changed.

    The caller holds the match's lock.
    """
    seats = list(match.seats.select_related("user").filter(is_waiting=True, bot=""))
    for seat in seats:
        renew_alarms(match, seat, now)
    Seat.objects.bulk_update(seats, ["due_at", "remind_at"])
