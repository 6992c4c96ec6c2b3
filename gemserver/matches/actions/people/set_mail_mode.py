"""Choose how turns are mailed: each at once, all in a daily digest, or not at all; and which mails are answered."""

from __future__ import annotations

from datetime import datetime, time

from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.matches.actions.people.choose_channels import set_digest_hour
from gemserver.matches.notifications import Wishes


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
