"""Choose how turns are mailed: each at once, all in a daily digest, or not at all; and snooze them for a while."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from django.conf import settings
from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.clocks.daily import next_daily
from gemserver.lib import signing
from gemserver.matches import sitters, timing
from gemserver.matches.actions.people.choose_channels import set_digest_hour
from gemserver.matches.locking import lock_match
from gemserver.matches.mails.digest import digest_news
from gemserver.matches.models import NotificationChoice, Seat
from gemserver.matches.notifications import Wishes
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import release, tell

Topic = NotificationChoice.Topic
Channel = NotificationChoice.Channel


def set_mail_mode(
    user: User, mode: User.MailMode, *, now: datetime, digest_at: time | None = None
) -> datetime | None:
    """Set the mail mode for all matches; return when the next digest is due, if any.

    Choices by event for all matches are dropped. Choices for one match stay, unless the mode is OFF: then they go too.
    `digest_at` is the hour of the digest in the player's zone.
    """
    with transaction.atomic():
        user = lock_user(user.pk)
        replaced = user.notification_choices.all()
        if mode != User.MailMode.OFF:
            replaced = replaced.filter(match=None)
        replaced.delete()
        user.mail_mode = mode
        user.save(update_fields=["mail_mode"])
        if mode == User.MailMode.DIGEST:
            return set_digest_hour(user, digest_at, now=now)
        if not Wishes.of(user).want_digest:
            set_digest_hour(user, None, now=now)
    return None


def set_receipts(user: User, level: User.Receipts) -> None:
    """Set which of the player's mails are answered."""
    User.objects.filter(pk=user.pk).update(receipts=level)


def queue_digest(user_id: int, *, now: datetime) -> bool:
    """Queue the player's digest if it is due and there is anything to tell; True if one was queued.

    A digest that falls due during a snooze comes at its end.
    The row stores each match with its prompt, because an answer is judged by what the digest showed, and in `since` the
    start of its news.
    """
    with transaction.atomic():
        user = lock_user(user_id)
        fell_due = user.next_digest_at
        if fell_due is None or fell_due > now or user.digest_at is None:
            return False
        if user.snoozed_until and user.snoozed_until > now:
            user.next_digest_at = user.snoozed_until
            user.save(update_fields=["next_digest_at"])
            return False
        wishes = Wishes.of(user)
        user.next_digest_at = next_daily(user.digest_at, user.zone, after=now) if wishes.want_digest else None
        user.save(update_fields=["next_digest_at"])
        prompts = [
            {"match": seat.match_id, "seat": seat.index, "turn": seat.prompt_ply}
            for seat in sitters.mailed_to(user, now)
            if wishes.channel(Topic.TURN, seat.match_id) == Channel.DIGEST
        ]
        since = _news_begin(user, fell_due)
        if not prompts and not digest_news(user, since):
            return False
        stamp = int(fell_due.timestamp())
        return tell(
            user,
            "digest",
            thread=f"digest:{user.pk}",
            data={"prompts": prompts, "since": since.isoformat()},
            dedup_key=f"digest:{user.pk}:{stamp}",
            message_id=f"<d.{user.pk}.{stamp}.{signing.mac('d', user.pk, stamp)}@{settings.MAIL_DOMAIN}>",
            now=now,
            to=user.mail_address(),
        )


LONGEST_SNOOZE = timedelta(days=3)
_DAY = timedelta(hours=25)
"""The longest time between two daily digests: on the day when clocks are put back."""
_LONGEST_WAIT = timedelta(days=2) + LONGEST_SNOOZE
"""The longest time for a traveller who arrives after the digest's hour in the new zone, and then snoozes."""


def _news_begin(user: User, fell_due: datetime) -> datetime:
    """The start of this digest's news: the last digest, but at most `_LONGEST_WAIT` ago; without one, a day ago."""
    told = OutboxMessage.objects.filter(user=user, kind="digest").order_by("-pk").first()
    return max(told.created_at, fell_due - _LONGEST_WAIT) if told else fell_due - _DAY


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
