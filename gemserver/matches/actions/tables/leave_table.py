"""Leave a table before the match begins, or call the table off."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.matches import tables, turns
from gemserver.matches.locking import lock_match, lock_open_table, lock_table_as_host
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import renumber


def leave_table(match_id: int, user: User, *, now: datetime) -> Match:
    """Give the seat back; players who joined later move up and keep the parts they gave.

    The table is cancelled when no person is left at it.
    Raises Refused(no-such-match, not-open, not-seated).
    """
    with transaction.atomic():
        match = lock_open_table(match_id)
        if not match.seats.filter(user=user).delete()[0]:
            raise Refused(
                "not-seated", "You do not sit at {code}; there is nothing to leave.", code=match.code
            )
        if match.seats.filter(user__isnull=False).exists():
            renumber(match, list(match.seats.order_by("index")))
        else:
            _cancel(match, now)
    return match


def leave_if_waiting(match_id: int, user: User, *, now: datetime) -> None:
    """Like `leave_table`; a table that has begun, was cancelled or was left since it was looked up stays as it is."""
    try:
        leave_table(match_id, user, now=now)
    except Refused as refusal:
        if refusal.code not in {"not-open", "not-seated"}:
            raise


def cancel_table(match_id: int, *, by: User | None, now: datetime) -> Match:
    """Call the table off and tell its players. `by` is the table's host (None: the server itself).

    It stays listed and now shows its secret, so that anybody can check it against the commitment.
    Raises Refused(no-such-match, not-open, not-host).
    """
    with transaction.atomic():
        match = lock_table_as_host(match_id, by)
        for seat in match.seats.select_related("user"):
            if seat.user != by:
                turns.tell_seat(match, seat, "cancelled", turn=0, now=now)
        _cancel(match, now)
    return match


def end_forgotten_table(match_id: int, *, now: datetime) -> None:
    """Call a table off at which nothing has changed for a month, and tell whoever sits there; others stay as they are.

    Raises Refused(no-such-match).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        if not tables.forgotten_tables(now).filter(pk=match.pk).exists():
            return
        seats = list(match.seats.select_related("user"))
        turns.tell_seats(match, seats, "cancelled", turn=0, now=now, waited=tables.WAITS_FOR.days)
        _cancel(match, now)


def _cancel(match: Match, now: datetime) -> None:
    match.status, match.finished_at = Match.Status.CANCELLED, now
    match.save(update_fields=["status", "finished_at"])
