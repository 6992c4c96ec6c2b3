"""Set a player's zone, quiet hours and reminders."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from zoneinfo import available_timezones

from django.db import transaction
from django.db.models import Max

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import Hours, User
from gemserver.clocks.free_time import QuietHours
from gemserver.matches import timing
from gemserver.matches.actions.people.choose_channels import set_digest_hour
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Seat
from gemserver.matches.refusal import Refused

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
NOTICE = timedelta(hours=24)
"""A change of hours applies to prompts asked at least this long after it."""
SHORTEST_LEAD, LONGEST_LEAD, MOST_LEADS = timedelta(minutes=15), timedelta(days=30), 6


def set_hours(
    user: User, *, quiet: tuple[time, time] | None, zone: str | None = None, now: datetime
) -> Hours:
    """Change quiet hours, and the zone if given; the first change applies at once, any later one after `NOTICE`.

    Open prompts keep the hours they were asked under, including those asked since `now`, the receipt of a mail. Times
    are shown in the new zone at once, and the digest follows it too. A change that does not apply yet is replaced by
    the new one; choosing the present hours again changes nothing.

    Raises Refused(no-such-zone, too-quiet).
    """
    if zone is not None and zone not in available_timezones():
        raise Refused("no-such-zone", "{zone} is no time zone; write one like Europe/Paris.", zone=zone)
    if quiet:
        _check(*quiet)
    with transaction.atomic():
        user = lock_user(user.pk)
        chosen = (zone or user.time_zone, *(quiet or (None, None)))
        last = user.hours.order_by("-effective_at", "-pk").first()
        if last and (last.time_zone, last.quiet_start, last.quiet_end) == chosen:
            return last
        if last is None:
            Hours.objects.create(user=user, effective_at=BEGINNING, time_zone=user.time_zone)
        since = max(now, _after_open_prompts(user))
        user.hours.filter(effective_at__gt=since).delete()
        user.time_zone = chosen[0]
        user.save(update_fields=["time_zone"])
        if user.next_digest_at and user.next_digest_at > now:
            set_digest_hour(user, user.digest_at, now=now)
        return Hours.objects.create(
            user=user,
            effective_at=max(since, now + NOTICE) if last else since,
            time_zone=chosen[0],
            quiet_start=chosen[1],
            quiet_end=chosen[2],
        )


def set_zone(user: User, zone: str, *, now: datetime) -> Hours:
    """Like `set_hours`, with the quiet hours that the player has chosen last. Raises Refused(no-such-zone)."""
    with transaction.atomic():
        last = lock_user(user.pk).hours.order_by("-effective_at", "-pk").first()
        quiet = (last.quiet_start, last.quiet_end) if last and last.quiet_start and last.quiet_end else None
        return set_hours(user, quiet=quiet, zone=zone, now=now)


def _after_open_prompts(user: User) -> datetime:
    """The first instant after all prompts that are open."""
    waiting = Seat.objects.filter(user=user, is_waiting=True)
    newest = waiting.aggregate(newest=Max("prompted_at"))["newest"]
    return newest + timedelta(microseconds=1) if newest else BEGINNING


def _check(start: time, end: time) -> None:
    try:
        QuietHours(start, end)
    except ValueError as error:
        raise Refused(
            "too-quiet",
            "Quiet hours are at least a minute and at most 10 hours a day; choose other hours.",
        ) from error


def set_leads(user: User, leads: Sequence[timedelta], *, now: datetime) -> None:
    """Set the running time left at each reminder; an empty list means none. Applies at once, to open prompts too.

    Raises Refused(bad-leads).
    """
    if len(leads) > MOST_LEADS or not all(SHORTEST_LEAD <= lead <= LONGEST_LEAD for lead in leads):
        raise Refused(
            "bad-leads",
            "Choose up to {most} reminders, each between 15 minutes and 30 days before your time is up.",
            most=MOST_LEADS,
        )
    minutes = sorted({lead // timedelta(minutes=1) for lead in leads}, reverse=True)
    waiting = Seat.objects.filter(user=user, is_waiting=True).order_by("match_id", "pk")
    with transaction.atomic():
        matches = {pk: lock_match(match_id) for pk, match_id in waiting.values_list("pk", "match_id")}
        User.objects.filter(pk=user.pk).update(reminder_minutes=minutes)
        for pk, match in matches.items():
            seat = Seat.objects.select_related("user").get(pk=pk)
            if match.is_running and seat.is_waiting and not seat.bot_level:
                timing.set_alarms(match, seat, now)
                seat.save(update_fields=["due_at", "remind_at"])
