"""Lets players be named in the open archive, or not; what is built already is built again."""

from __future__ import annotations

from gemserver.accounts.models import User
from gemserver.archive.models import ArchiveFile
from gemserver.matches.models import Match


def set_named(user: User, *, is_named: bool) -> None:
    """Name the player, and their bots, in the archive from the next build on, or number them."""
    User.objects.filter(pk=user.pk).update(is_named_in_archive=is_named)
    user.is_named_in_archive = is_named
    outdate(user)


def outdate(user: User) -> None:
    """Have all months built again in which this player, or a bot of theirs, finished a match."""
    seats = Match.objects.filter(status=Match.Status.FINISHED)
    played = seats.filter(seats__user=user) | seats.filter(seats__user__owner=user)
    months = {at.date().replace(day=1) for at in played.values_list("finished_at", flat=True) if at}
    ArchiveFile.objects.filter(month__in=months).update(is_stale=True)
