"""Hold back mail about turns for a while; no clock stops meanwhile."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.matches import sitters, timing
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.outbox import release

LONGEST_SNOOZE = timedelta(days=3)


def snooze(user: User, time_off: timedelta, *, now: datetime) -> datetime:
    """Hold back mail about turns for a while, then remind of turns still open. No clock stops meanwhile.

    Returns the end of the snooze. Raises Refused(bad-snooze).
    """
    if not timedelta(0) < time_off <= LONGEST_SNOOZE:
        raise Refused(
            "bad-snooze",
            "Choose a time up to {days} days.",
            days=LONGEST_SNOOZE.days,
        )
    until = now + time_off
    with transaction.atomic():
        for found in _by_match(user, now):
            lock_match(found.match_id)
            Seat.objects.filter(pk=found.pk, is_waiting=True).exclude(due_at__lte=until).update(
                remind_at=until
            )
        User.objects.filter(pk=user.pk).update(snoozed_until=until)
    return until


def _by_match(user: User, now: datetime) -> list[Seat]:
    """The seats about whose turns the user is mailed, in the order in which their matches are locked."""
    return sorted(sitters.mailed_to(user, now), key=lambda seat: seat.match_id)


def due_by(user: User, until: datetime, *, now: datetime) -> list[str]:
    """The codes of the matches in which the player's time runs out by then, without a reminder."""
    due = sitters.mailed_to(user, now).filter(due_at__lte=until)
    return [seat.match.code for seat in due]


def end_snooze(user: User, *, now: datetime) -> None:
    """Resume mail about turns: held mails go out now, and reminders come when they are due."""
    with transaction.atomic():
        matches = {found.pk: lock_match(found.match_id) for found in _by_match(user, now)}
        user = lock_user(user.pk)
        until = user.snoozed_until
        if until is None or until <= now:
            return
        user.snoozed_until = None
        if user.next_digest_at == until:
            user.next_digest_at = now
        user.save(update_fields=["snoozed_until", "next_digest_at"])
        release(user, until, now=now)
        for pk, match in matches.items():
            seat = Seat.objects.select_related("user").get(pk=pk)
            if match.is_running and seat.is_waiting and not seat.bot_level:
                timing.set_alarms(match, seat, now)
                if timing.lacks_reminder(match, seat, now):
                    seat.remind_at = now
                seat.save(update_fields=["due_at", "remind_at"])
