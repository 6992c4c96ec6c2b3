"""Limit on what computer players are asked from one network, beside that of the account."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from allauth.core.internal import ratelimit
from django.http import HttpRequest

from gemserver.matches.refusal import Refused

Counter: TypeAlias = Callable[[], None]


def count_nothing() -> None:
    """For what comes from no network, as mail does."""


def count_by_network(request: HttpRequest, action: str) -> None:
    """Count one more under this action of ACCOUNT_RATE_LIMITS. Raises Refused(too-many-from-here)."""
    if ratelimit.consume(request, app="allauth.account", action=action) is None:
        raise Refused(
            "too-many-from-here", "Bots were asked too much from your network today. Try again tomorrow."
        )
