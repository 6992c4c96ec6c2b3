"""Queues the daily digests that are due."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.clocks.daily import next_daily
from gemserver.lib import signing
from gemserver.matches import sitters
from gemserver.matches.actions.people.snooze import LONGEST_SNOOZE
from gemserver.matches.mails.digest import digest_news
from gemserver.matches.models import NotificationChoice
from gemserver.matches.notifications import Wishes
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import tell

Topic = NotificationChoice.Topic
Channel = NotificationChoice.Channel

_DAY = timedelta(hours=25)
"""The longest time between two daily digests: on the day when clocks are put back."""
_LONGEST_WAIT = timedelta(days=2) + LONGEST_SNOOZE
"""The longest time for a traveller who arrives after the digest's hour in the new zone, and then snoozes."""


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


def _news_begin(user: User, fell_due: datetime) -> datetime:
    """The start of this digest's news: the last digest, but at most `_LONGEST_WAIT` ago; without one, a day ago."""
    told = OutboxMessage.objects.filter(user=user, kind="digest").order_by("-pk").first()
    return max(told.created_at, fell_due - _LONGEST_WAIT) if told else fell_due - _DAY
