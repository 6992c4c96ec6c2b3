"""Take and end a vacation: announced to every table, with a limited number of days in a year."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from gemserver.accounts.hours import hours_at
from gemserver.accounts.models import User, Vacation
from gemserver.clocks.days_off import DaysOff, days_in
from gemserver.clocks.reminders import end_of_vacation_told_at
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.matches import timing
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Notice
from gemserver.matches.refusal import Refused

FURTHEST = timedelta(days=366)
"""A vacation must end within this time from now."""
MOST_A_DAY = 10
"""Vacations announced at one table within a day: each is a line in its log, and so is its end."""


def announce_vacation(user: User, first: date, last: date, *, now: datetime) -> Vacation:
    """Stop the player's clocks on these days, in the player's zone; time that has passed still counts.

    Prompts due within the next hour stay due (`clocks.days_off.NOTICE`). The same announcement at the same instant
    counts once. Raises Refused(bad-days, overlapping, no-days-left, too-often).
    """
    with transaction.atomic():
        matches = _lock_tables(user)
        if known := user.vacations.filter(first=first, last=last, announced_at=now).first():
            return known
        today = _today_of(user, now)
        if not today <= first <= last <= today + FURTHEST:
            raise Refused(
                "bad-days",
                "A vacation begins today or later and ends within a year; give the first day first.",
            )
        if user.vacations.filter(first__lte=last, last__gte=first).exists():
            raise Refused(
                "overlapping",
                "You have announced a vacation on some of these days already; end that one first.",
            )
        for year in range(first.year, last.year + 1):
            _require_days(user, first, last, year)
        _require_few(user, now)
        vacation = Vacation.objects.create(
            user=user, first=first, last=last, announced_at=now, remind_at=_remind_at(user, last, now)
        )
        _tell_tables(
            matches,
            user,
            "vacation",
            f"{_key(user)}{vacation.pk}",
            now,
            first=first.isoformat(),
            last=last.isoformat(),
        )
    return vacation


def end_vacation(user: User, *, now: datetime) -> None:
    """Cancel coming vacations; one that has begun ends with today. Raises Refused(no-vacation)."""
    with transaction.atomic():
        matches = _lock_tables(user)
        today = _today_of(user, now)
        to_come = list(user.vacations.filter(last__gt=today))
        if not to_come:
            raise Refused("no-vacation", "You have no vacation beyond today; there is nothing to end.")
        for vacation in to_come:
            if vacation.first > today:
                vacation.delete()
            else:
                vacation.last, vacation.shortened_at, vacation.remind_at = today, now, None
                vacation.save(update_fields=["last", "shortened_at", "remind_at"])
        key = f"vacation-off:{user.pk}:{now:%Y%m%d%H%M%S}"
        _tell_tables(matches, user, "vacation-off", key, now)


def _today_of(user: User, now: datetime) -> date:
    """The day by which the player's clocks count: a change of zone applies later, and makes no day end twice."""
    return now.astimezone(hours_at(user, now).zone).date()


def _remind_at(user: User, last: date, now: datetime) -> datetime | None:
    """When the player is told of the end; None if that is past, as who announces it now knows the end."""
    at = end_of_vacation_told_at(last, hours_at(user, now).zone)
    return at if at > now else None


def vacation_days_left(user: User, year: int) -> int:
    """The days of vacation that the player may still take in this calendar year."""
    taken = [DaysOff(row.first, row.last, row.announced_at) for row in user.vacations.all()]
    return settings.VACATION_DAYS - days_in(year, taken)


def _require_days(user: User, first: date, last: date, year: int) -> None:
    wanted = days_in(year, [DaysOff(first, last, datetime.min)])
    left = vacation_days_left(user, year)
    if wanted > left:
        raise Refused(
            "no-days-left",
            "That is more vacation than you have left in {year} (days: {left}); choose fewer days.",
            left=left,
            year=year,
        )


def _require_few(user: User, now: datetime) -> None:
    """Counted in the logs, as no row of a vacation is left that was called off before it began."""
    told = Notice.objects.filter(
        match__in=_running(user), key__startswith=_key(user), created_at__gt=now - timedelta(days=1)
    )
    if told.values("key").distinct().count() >= MOST_A_DAY:
        raise Refused(
            "too-often",
            "You have announced {most} vacations within a day; announce the next one tomorrow.",
            most=MOST_A_DAY,
        )


def _key(user: User) -> str:
    """The beginning of the keys of the notices that announce this player's vacations."""
    return f"vacation:{user.pk}:"


def _running(user: User) -> QuerySet[Match]:
    return Match.objects.filter(status=Match.Status.RUNNING, seats__user=user)


def _lock_tables(user: User) -> list[Match]:
    """The running matches of the player, locked, and behind them the vacations that they take."""
    keys = list(_running(user).order_by("pk").values_list("pk", flat=True))
    matches = [lock_match(key) for key in keys]
    lock_vacations(user)
    return matches


def lock_vacations(user: User) -> None:
    """Wait until nobody else announces, ends or reminds of a vacation of this player, until the transaction ends."""
    count_alone(f"vacations of {user.pk}")


def _tell_tables(
    matches: Iterable[Match], user: User, kind: str, key: str, now: datetime, **data: str
) -> None:
    """Reset the alarms and write into the log of each of these matches that still runs with the player."""
    for match in matches:
        seat = match.seats.filter(user=user).first()
        if match.is_running and seat:
            timing.reset_alarms(match, now)
            notices.post(match, kind, key, now=now, player=seat.index, **data)
