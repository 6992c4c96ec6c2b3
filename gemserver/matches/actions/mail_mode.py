"""How a player is told of turns: each at once, all in one mail a day, or not at all; and a pause from it."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from django.conf import settings
from django.db import transaction

from gemserver.accounts.models import User
from gemserver.clocks.daily import next_daily
from gemserver.lib import signing
from gemserver.matches import selectors
from gemserver.matches.models import Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.outbox import tell

LONGEST_SNOOZE = timedelta(days=3)


def set_mail_mode(
    user: User, mode: User.MailMode, *, now: datetime, digest_at: time | None = None
) -> datetime | None:
    """Choose it; `digest_at` is the hour of the digest in the player's zone. When the next digest is due, if any."""
    at = next_daily(digest_at, user.zone, after=now) if digest_at and mode == User.MailMode.DIGEST else None
    User.objects.filter(pk=user.pk).update(
        mail_mode=mode, digest_at=digest_at if at else None, next_digest_at=at
    )
    return at


def queue_digest(user_id: int, *, now: datetime) -> bool:
    """Queue the player's digest, if it is due and anything waits for the player; whether one was queued.

    The row remembers each match with its prompt: an answer is judged by what the digest showed.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user_id)
        fell_due = user.next_digest_at
        if fell_due is None or fell_due > now or user.digest_at is None:
            return False
        wanted = user.gets_digest
        user.next_digest_at = next_daily(user.digest_at, user.zone, after=now) if wanted else None
        user.save(update_fields=["next_digest_at"])
        prompts = [
            {"match": seat.match_id, "seat": seat.index, "turn": seat.prompt_ply}
            for seat in selectors.waiting_for(user)
        ]
        if not wanted or not prompts:
            return False
        stamp = int(fell_due.timestamp())
        tell(
            user,
            "digest",
            thread=f"digest:{user.pk}",
            data={"prompts": prompts},
            dedup_key=f"digest:{user.pk}:{stamp}",
            message_id=f"<d.{user.pk}.{stamp}.{signing.mac('d', user.pk, stamp)}@{settings.MAIL_DOMAIN}>",
            now=now,
        )
    return True


def snooze(user: User, time_off: timedelta, *, now: datetime) -> datetime:
    """No mail about turns until then; what still waits is brought up again. No clock stands still meanwhile.

    Raises Refused(bad-snooze).
    """
    if not timedelta(0) < time_off <= LONGEST_SNOOZE:
        raise Refused(
            "bad-snooze",
            "Choose a time up to {days} days; write for example: snooze 3h",
            days=LONGEST_SNOOZE.days,
        )
    until = now + time_off
    User.objects.filter(pk=user.pk).update(snoozed_until=until)
    waiting = Seat.objects.filter(user=user, is_waiting=True)
    waiting.exclude(due_at__lte=until).update(remind_at=until)
    return until
