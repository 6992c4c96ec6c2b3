"""Limits on what computer players are asked: by one person with their bots, from one network, and in one go."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from allauth.core.internal import ratelimit
from django.db.models import Q
from django.http import HttpRequest

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.matches.refusal import Refused

Counter: TypeAlias = Callable[[], None]

PIECE = 5.0
"""Seconds of work in one go, after which whoever else waits for a bot has their turn."""


def lock_family(user: User) -> Q:
    """Lock the person behind the account until the transaction ends, so that two at once are counted one by one.

    Returns the condition on rows of that person and of their bots, which share the limits.
    """
    lock_user(user.family)
    return Q(user__in=user.of_family())


def count_nothing() -> None:
    """For what comes from no network, as mail does."""


def count_by_network(request: HttpRequest, action: str) -> None:
    """Count one more under this action of ACCOUNT_RATE_LIMITS. Raises Refused(too-many-from-here)."""
    if ratelimit.consume(request, app="allauth.account", action=action) is None:
        raise Refused(
            "too-many-from-here", "Bots were asked too much from your network today. Try again tomorrow."
        )
