"""The zone and quiet hours under which a player lives at an instant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from gemserver.accounts.models import Hours, User
from gemserver.lib.database.prepared import ParamSet, Prepared


def hours_at(user: User, at: datetime) -> Hours:
    """The hours of a prompt opened at this instant, which it keeps for good."""
    return hours_in(hours_of(users=[user.pk]), {user: at})[user.pk]


hours_of = Prepared(lambda: Hours.objects.filter(user__in=ParamSet("users")).order_by("effective_at", "pk"))


def hours_in(history: Iterable[Hours], instants: Mapping[User, datetime]) -> Mapping[int, Hours]:
    """The hours of these users, each at an instant of their own, by primary key, from their rows of `hours_of`."""
    found = {
        user.pk: Hours(user=user, effective_at=at, time_zone=user.time_zone) for user, at in instants.items()
    }
    latest = {user.pk: at for user, at in instants.items()}
    for row in history:
        if row.effective_at <= latest[row.user_id]:
            found[row.user_id] = row
    return found
