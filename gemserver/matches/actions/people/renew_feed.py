"""Show and renew the private address of a player's calendar and news feed."""

from __future__ import annotations

from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.lib import signing


def feed_token(user: User) -> str:
    """Return the secret part of the address, and store its hash for accounts older than feeds."""
    if user.feed_token_hash != signing.token_hash(user.feed_token):
        user.save(update_fields=["feed_generation"])
    return user.feed_token


def renew_feed(user: User) -> User:
    """Make a new address; the old one stops working."""
    with transaction.atomic():
        user = lock_user(user.pk)
        user.feed_generation += 1
        user.save(update_fields=["feed_generation"])
    return user
