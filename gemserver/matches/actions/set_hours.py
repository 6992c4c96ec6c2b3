"""A player's zone, quiet hours and reminders."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from zoneinfo import available_timezones

from django.db import transaction

from gemserver.accounts.models import Hours, User
from gemserver.clocks.free_time import QuietHours
from gemserver.matches import timing
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Seat
from gemserver.matches.refusal import Refused

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
NOTICE = timedelta(hours=24)
"""A change of hours counts for prompts that are put this long after it, or later."""
SHORTEST_LEAD, LONGEST_LEAD, MOST_LEADS = timedelta(minutes=15), timedelta(days=30), 6


def set_hours(
    user: User, *, quiet: tuple[time, time] | None, zone: str | None = None, now: datetime
) -> Hours:
    """Change quiet hours, and the zone if one is named; the first change at once, any other after `NOTICE`.

    Prompts that are open keep the hours they were put under. Times are shown in the new zone at once. A change that
    does not count yet is replaced; the same change of the same instant counts once.

    Raises Refused(no-such-zone, too-quiet).
    """
    if zone is not None and zone not in available_timezones():
        raise Refused("no-such-zone", "{zone} is no time zone; write one like Europe/Paris.", zone=zone)
    if quiet:
        _check(*quiet)
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        start, end = quiet or (None, None)
        same = user.hours.filter(time_zone=zone or user.time_zone, quiet_start=start, quiet_end=end)
        if known := same.filter(effective_at__in=(now, now + NOTICE)).first():
            return known
        is_first = not user.hours.exists()
        if is_first:
            Hours.objects.create(user=user, effective_at=BEGINNING, time_zone=user.time_zone)
        user.hours.filter(effective_at__gt=now).delete()
        user.time_zone = zone or user.time_zone
        user.save(update_fields=["time_zone"])
        return Hours.objects.create(
            user=user,
            effective_at=now if is_first else now + NOTICE,
            time_zone=user.time_zone,
            quiet_start=start,
            quiet_end=end,
        )


def _check(start: time, end: time) -> None:
    try:
        QuietHours(start, end)
    except ValueError as error:
        raise Refused(
            "too-quiet",
            "Quiet hours are at least a minute and at most 10 hours a day; write for example: quiet 22-07",
        ) from error


def set_leads(user: User, leads: Sequence[timedelta], *, now: datetime) -> None:
    """How much running time is left at each reminder; none for no reminders. Counts at once, for open prompts too.

    Raises Refused(bad-leads).
    """
    if len(leads) > MOST_LEADS or not all(SHORTEST_LEAD <= lead <= LONGEST_LEAD for lead in leads):
        raise Refused(
            "bad-leads",
            "Choose up to {most} reminders between 15 minutes and 30 days; write for example: leads 24h 4h",
            most=MOST_LEADS,
        )
    minutes = sorted({lead // timedelta(minutes=1) for lead in leads}, reverse=True)
    User.objects.filter(pk=user.pk).update(reminder_minutes=minutes)
    for pk, match_id in Seat.objects.filter(user=user, is_waiting=True).values_list("pk", "match_id"):
        with transaction.atomic():
            match = lock_match(match_id)
            seat = Seat.objects.select_related("user").get(pk=pk)
            if match.is_running and seat.is_waiting and not seat.bot:
                timing.set_alarms(match, seat, now)
                seat.save(update_fields=["due_at", "remind_at"])
