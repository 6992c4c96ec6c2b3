"""Lets players be named in the open archive, or not; what is built already is built again."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from django.db import transaction
from django.db.models import F

from gemserver.accounts.models import User
from gemserver.archive.models import ArchiveFile, ArchiveMonth
from gemserver.matches.models import Match


def set_named(user: User, *, is_named: bool) -> None:
    """Name the player, and their bots, in the archive from the next build on, or number them."""
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(is_named_in_archive=is_named)
        user.is_named_in_archive = is_named
        outdate(list_months(user))


def list_months(user: User) -> Collection[date]:
    """The months (first days) in which this player, or a bot of theirs, finished a match."""
    seats = Match.objects.filter(status=Match.Status.FINISHED)
    played = seats.filter(seats__user=user) | seats.filter(seats__user__owner=user)
    return {at.date().replace(day=1) for at in played.values_list("finished_at", flat=True) if at}


def outdate(months: Collection[date]) -> None:
    """Have these months built again, also those that are being built now. To be called in the change's transaction."""
    ArchiveMonth.objects.bulk_create([ArchiveMonth(month=month) for month in months], ignore_conflicts=True)
    locked = ArchiveMonth.objects.select_for_update().filter(month__in=months).order_by("month")
    changed = [row.pk for row in locked]  # in one order, so that two do not wait for each other
    ArchiveMonth.objects.filter(pk__in=changed).update(changes=F("changes") + 1)
    ArchiveFile.objects.filter(month__in=months).update(is_stale=True)
