"""Choose a notification channel for each topic, for all matches or for one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time

from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.clocks.daily import next_daily
from gemserver.matches.models import Match, NotificationChoice
from gemserver.matches.notifications import BY_MODE, DIGEST, NOT_IN_DIGEST, Wishes
from gemserver.matches.refusal import Refused

Topic = NotificationChoice.Topic
Channel = NotificationChoice.Channel
Chosen = Mapping[NotificationChoice.Topic, NotificationChoice.Channel | None]


def choose_channels(
    user: User, match: Match | None, chosen: Chosen, *, digest_at: time | None = None, now: datetime
) -> None:
    """Store the choices for this match (None: the default for all matches).

    A channel of None removes the choice. `digest_at` is the hour of the digest in the player's zone; None leaves it as
    it is. Raises Refused(no-hour, not-in-digest).
    """
    with transaction.atomic():
        user = lock_user(user.pk)
        for topic, channel in chosen.items():
            if channel == Channel.DIGEST and topic in NOT_IN_DIGEST:
                raise Refused(
                    "not-in-digest", "A reminder cannot wait for the digest; choose mail or the web."
                )
            is_usual = match is None and channel == BY_MODE[user.mail_mode][topic]
            _keep(user, match, topic, None if is_usual else channel)
        hour = digest_at or user.digest_at
        if Wishes.of(user).want_digest and hour is None:
            raise Refused("no-hour", "Give the hour at which you want your digest.")
        if hour != user.digest_at or user.next_digest_at is None:
            set_digest_hour(user, hour, now=now)


def _keep(
    user: User,
    match: Match | None,
    topic: NotificationChoice.Topic,
    channel: NotificationChoice.Channel | None,
) -> None:
    rows = NotificationChoice.objects.filter(user=user, match=match, event=topic)
    if channel is None:
        rows.delete()
    elif not rows.update(channel=channel):
        NotificationChoice.objects.create(user=user, match=match, event=topic, channel=channel)


def set_digest_hour(user: User, digest_at: time | None, *, now: datetime) -> datetime | None:
    """Set the hour of the digest (None: no digest) and return when the next one is due."""
    at = next_daily(digest_at, user.zone, after=now) if digest_at else None
    user.digest_at, user.next_digest_at = digest_at, at
    user.save(update_fields=["digest_at", "next_digest_at"])
    return at


def stop_mail(user: User, category: str) -> None:
    """Stop mail of this category in all matches: one topic, or the whole digest. Doing it twice changes nothing."""
    with transaction.atomic():
        user = lock_user(user.pk)
        wishes = Wishes.of(user)
        if category == DIGEST:
            topics = [topic for topic in Topic if wishes.channel(topic, None) == Channel.DIGEST]
            NotificationChoice.objects.filter(user=user, channel=Channel.DIGEST).delete()
        else:
            topics = [Topic(category)]
        for topic in topics:
            NotificationChoice.objects.filter(user=user, event=topic).delete()
            _keep(user, None, topic, Channel.WEB)
