"""Who may know that a match exists."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q

from gemserver.accounts.models import User
from gemserver.clubs.models import Member


def seen_by(reader: User | AnonymousUser | None, prefix: str = "") -> Q:
    """The condition that keeps the matches of which the reader may know: not those of other people's private clubs.

    `prefix` leads from the listed rows to their match: `match__` for seats.
    """
    is_shown = Q(**{f"{prefix}club": None}) | Q(**{f"{prefix}club__is_private": False})
    if not isinstance(reader, User):
        return is_shown
    own = Member.objects.filter(user=reader).values("club")
    return is_shown | Q(**{f"{prefix}club__in": own})
