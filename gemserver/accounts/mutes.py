"""Mutes: for a while a player may write nothing that others read."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from gemserver.accounts.models import Mute, User


def mute_of(user: User, now: datetime) -> Mute | None:
    """The mute in force for this account, or for the person whose bot it is; the one that ends last."""
    theirs = Q(user=user) | Q(user=user.owner_id)
    in_force = Mute.objects.filter(theirs, lifted_at=None, until__gt=now)
    return in_force.order_by("-until").first()


def mute(user: User, note: str, *, until: datetime, now: datetime) -> Mute:
    """Let the player write nothing to others until then; `note` tells them why, and how to appeal."""
    return Mute.objects.create(user=user, note=note, since=now, until=until)


def lift_mutes(user: User, *, now: datetime) -> None:
    """Let the player write again."""
    user.mutes.filter(lifted_at=None, until__gt=now).update(lifted_at=now)
