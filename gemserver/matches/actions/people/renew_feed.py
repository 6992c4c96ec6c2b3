"""The private address of a player's calendar and news feed: shown, and renewed when it has become known."""

from __future__ import annotations

from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.lib import signing


def feed_token(user: User) -> str:
    """The secret part of the address, which is known from then on even if the account is older than feeds are."""
    if user.feed_token_hash != signing.token_hash(user.feed_token):
        user.save(update_fields=["feed_generation"])
    return user.feed_token


def renew_feed(user: User) -> User:
    """Make a new address; the old one is dead."""
    with transaction.atomic():
        user = lock_user(user.pk)
        user.feed_generation += 1
        user.save(update_fields=["feed_generation"])
    return user
