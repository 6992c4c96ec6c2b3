"""Remove somebody from a table that waits, as its host may."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.matches import turns
from gemserver.matches.locking import lock_table_as_host
from gemserver.matches.models import Invitation, Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import renumber

KIND = "removed"


def remove_player(match_id: int, seat_id: int, *, by: User | None, now: datetime) -> Match:
    """Give the seat of another player, or of a bot, back; those behind move up.

    A person is told, and does not come back by themselves: only an invitation lets them in again. Removing a seat that
    is gone changes nothing.
    Raises Refused(no-such-match, not-open, not-host, own-seat).
    """
    with transaction.atomic():
        match = lock_table_as_host(match_id, by)
        seat = match.seats.select_related("user").filter(pk=seat_id).first()
        if seat is None:
            return match
        if by is not None and seat.user == by:
            raise Refused("own-seat", "This is your own seat; to give it back, leave the table.")
        if seat.user is not None:
            turns.tell_seat(match, seat, KIND, turn=0, number=seat.pk, now=now)
            _keep_out(match, seat.user, now)
        seat.delete()
        renumber(match, list(match.seats.order_by("index")))
    return match


def remove_player_called(match_id: int, name: str, *, by: User, now: datetime) -> Match:
    """Like `remove_player`, by the player's name. Raises Refused(not-there) too."""
    seat = Seat.objects.filter(match=match_id, user__username__iexact=name.strip()).first()
    if seat is None:
        raise Refused("not-there", "Nobody called {name} sits at this table.", name=name.strip()[:40])
    return remove_player(match_id, seat.pk, by=by, now=now)


def _keep_out(match: Match, user: User, now: datetime) -> None:
    """Note it where an invitation by name is noted, which it takes back and which takes it back."""
    removed = {"state": Invitation.State.REMOVED, "answered_at": now, "was_removed": True}
    if not match.invitations.filter(user=user, by_name=True).update(**removed):
        Invitation.objects.create(match=match, user=user, by_name=True, created_at=now, **removed)
