"""The clock of a seat: the free time of its present prompt, its due time, and its reminders.

A seat's `due_at` and `remind_at` cache values that are computed here; `set_alarms` writes both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import DateField, DateTimeField, Q

from gemserver.accounts.hours import hours_in, hours_of
from gemserver.accounts.models import Hours, User, Vacation
from gemserver.clocks import free_time, reminders
from gemserver.clocks.days_off import NOTICE, DaysOff, first_days, with_days_off
from gemserver.clocks.free_time import FOREVER, FreeTime, Interval, QuietHours
from gemserver.lib.database.prepared import MostlyEmpty, Param, ParamSet, Prepared
from gemserver.matches.models import IS_BOTS, Heartbeat, Holiday, Match, Seat, Stop

DOWNTIME_LIMIT = timedelta(minutes=5)
"""Time without a sweep is credited to all clocks if it is longer than this."""
_INSTANT = timedelta(microseconds=1)
"""The shortest time there is."""


def free_time_of(match: Match, seat: Seat) -> FreeTime:
    """The free time of the present prompt of a seat that no bot holds."""
    return free_times(match, [seat])[seat.index]


def free_times(match: Match, seats: Sequence[Seat]) -> Mapping[int, FreeTime]:
    """Like `free_time_of`, for several waiting seats at once: by their index, with as many queries as for one."""
    if not seats:
        return {}
    prompted = {seat.user: _prompted_at(seat) for seat in seats if seat.user}
    stopped, agreed, history, vacations = _free(
        match=match.pk,
        users=[user.pk for user in prompted],
        since=min(_prompted_at(seat) for seat in seats),
        began=_began(match),
    )
    stops = tuple((start, end or FOREVER) for start, end in stopped)
    if match.play_until is not None:  # the budget of a fixture runs through
        return {seat.index: FreeTime(ZoneInfo("UTC"), stops=stops) for seat in seats}
    holidays = [DaysOff(row.first, row.last, row.closed_at) for row in agreed if row.closed_at]
    hours = hours_in(history, prompted)
    days_off = _days_off(match, prompted, vacations)
    return {
        seat.index: with_days_off(
            FreeTime(hours[seat.user.pk].zone, _quiet(hours[seat.user.pk]), match.free_weekends, stops=stops),
            [*days_off[seat.user.pk], *holidays],
            prompted_at=_prompted_at(seat),
            bank=seat.clock_left,
        )
        if seat.user
        else FreeTime(ZoneInfo("UTC"), free_weekends=match.free_weekends, stops=stops)
        for seat in seats
    }


def _prompted_at(seat: Seat) -> datetime:
    assert seat.prompted_at is not None
    return seat.prompted_at


def _began(match: Match) -> date:
    return (match.started_at or match.created_at).date()


def _days_off(
    match: Match, users: Collection[User], vacations: Iterable[Vacation]
) -> Mapping[int, list[DaysOff]]:
    """The days off of each of these players (by primary key) that count in the match."""
    days_off: dict[int, list[DaysOff]] = {user.pk: [] for user in users}
    for row in vacations:
        days_off[row.user_id].append(DaysOff(row.first, row.last, row.announced_at, NOTICE))
    return {
        user: first_days(days, since=_began(match), limit=match.vacation_days)
        for user, days in days_off.items()
    }


def _quiet(hours: Hours) -> QuietHours | None:
    if hours.quiet_start is None or hours.quiet_end is None:
        return None
    return QuietHours(hours.quiet_start, hours.quiet_end)


_stops = Prepared(
    lambda: (
        Stop.objects.filter(Q(match=Param("match")) | Q(match=None))
        .filter(Q(end=None) | Q(end__gt=Param("since", DateTimeField())))
        .values_list("start", "end")
    )
)
"""Pauses and credited downtime that last beyond an instant."""
_holidays = Prepared(lambda: Holiday.objects.filter(match=Param("match"), outcome=Holiday.Outcome.AGREED))
_vacations = Prepared(
    lambda: Vacation.objects.filter(user__in=ParamSet("users"), last__gte=Param("began", DateField()))
)
_free = MostlyEmpty(_stops, _holidays, hours_of, _vacations)


def due_at(match: Match, seat: Seat) -> datetime | None:
    """The time at which the present prompt runs out, computed afresh; None while the clock is stopped."""
    return _due_at(match, seat, free_time_of(match, seat))


def _due_at(match: Match, seat: Seat, free: FreeTime) -> datetime | None:
    due = free_time.due_at(_prompted_at(seat), seat.clock_left, free)
    if match.play_until is None:
        return due
    return min(due or match.play_until, match.play_until)


def time_left(match: Match, seat: Seat, now: datetime) -> timedelta:
    """The time left in the bank at this instant; below zero when the prompt has run out.

    Time since the last sweep does not count if the next one will credit it.
    """
    assert seat.prompted_at is not None
    # A mail may have reached us before the prompt that it answers was asked.
    until = max(now, seat.prompted_at)
    free = free_time_of(match, seat)
    free = replace(free, stops=(*free.stops, *_missed(until)))
    return seat.clock_left - free_time.running_time(seat.prompted_at, until, free)


def time_to_spare(match: Match, seat: Seat, now: datetime) -> timedelta:
    """The time before the end of a fixture that no player's clock holds, but perhaps the one of this seat."""
    assert match.play_until is not None
    held = timedelta(0)
    for other in match.read_seats():
        if other.user and not other.is_away and other.pk != seat.pk:
            left = time_left(match, other, now) if other.is_waiting else other.clock_left
            held += max(left, timedelta(0))
    return match.play_until - now - held


def _missed(until: datetime) -> list[Interval]:
    """The time without sweeps up to this instant, if it is long enough to be credited."""
    swept = Heartbeat.objects.filter(duty=Heartbeat.Duty.SWEEP, at__lt=until - DOWNTIME_LIMIT)
    return [(at, until) for at in swept.values_list("at", flat=True)]


def set_alarms(match: Match, seat: Seat, now: datetime) -> None:
    """Compute when the present prompt runs out, and when its player is reminded next, later than `now`.

    The caller saves `due_at` and `remind_at`.
    """
    set_all_alarms(match, [seat], now)


def set_all_alarms(match: Match, seats: Sequence[Seat], now: datetime) -> None:
    """Like `set_alarms`, for several seats at once, with as many queries as for one."""
    free_of = free_times(match, seats)
    for seat in seats:
        _set_alarms(match, seat, free_of[seat.index], now)


def _set_alarms(match: Match, seat: Seat, free: FreeTime, now: datetime) -> None:
    prompted_at = _prompted_at(seat)
    leads = seat.user.reminder_leads if seat.user else ()
    seat.due_at = _due_at(match, seat, free)
    seat.remind_at = reminders.next_reminder(
        prompted_at, seat.clock_left, leads, free, after=now, told_for=seat.reminded_for
    )
    if seat.due_at and seat.remind_at and seat.remind_at >= seat.due_at:
        seat.remind_at = None  # the match ends before


def renew_alarms(match: Match, seats: Sequence[Seat], now: datetime) -> None:
    """Like `set_all_alarms`, for prompts whose alarms are set: keeps a reminder that is due and not yet decided."""
    free_of = free_times(match, seats)
    for seat in seats:
        decided = min(now, seat.remind_at - _INSTANT) if seat.remind_at else now
        _set_alarms(match, seat, free_of[seat.index], decided)
        if seat.due_at is None:
            seat.remind_at = None


def is_told_again(match: Match, seat: Seat) -> bool:
    """True if the reminder that is due was sent before, for a due time that has been postponed since."""
    if seat.reminded_for is None or seat.user is None:
        return False
    return seat.remind_at not in reminder_times_of(match, seat)


def lacks_reminder(match: Match, seat: Seat, now: datetime) -> bool:
    """True if a lead has been reached without a reminder, because it was held back."""
    reached = [at for at in reminder_times_of(match, seat) if at <= now]
    return len(reached) > seat.reminders_sent


def reminder_times_of(match: Match, seat: Seat) -> list[datetime]:
    """All times at which the player is reminded of the present prompt, past ones included."""
    leads = seat.user.reminder_leads if seat.user else ()
    return reminders.reminder_times(_prompted_at(seat), seat.clock_left, leads, free_time_of(match, seat))


def is_stopped_at(match: Match, at: datetime) -> bool:
    """True if all clocks of the match were stopped at this instant, by what is known now."""
    stops = Stop.objects.filter(Q(match=match) | Q(match=None), start__lte=at)
    return stops.filter(Q(end=None) | Q(end__gt=at)).exists()


def is_due(match: Match, seat: Seat, now: datetime) -> bool:
    """True if the prompt has run out, computed without the cache; otherwise renews and saves the alarms."""
    due = due_at(match, seat)
    if due is not None and due <= now:
        return True
    renew_alarms(match, [seat], now)
    seat.save(update_fields=["due_at", "remind_at"])
    return False


def reset_alarms(match: Match, now: datetime) -> None:
    """Compute and save the alarms of all waiting players, after a change of free time.

    The caller holds the match's lock.
    """
    seats = list(match.seats.select_related("user").filter(~IS_BOTS, is_waiting=True))
    renew_alarms(match, seats, now)
    Seat.objects.bulk_update(seats, ["due_at", "remind_at"])
