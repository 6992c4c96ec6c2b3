"""The reminders before a seat's time runs out."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.matches import timing, turns
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Seat


def remind_seat(seat_id: int, *, now: datetime) -> bool:
    """Queue the reminder of a seat that still has not moved; whether there was one to send.

    Each is decided once, under the lock; one that comes too late, when the next is due as well or the time is up, is
    left out.
    """
    with transaction.atomic():
        match = lock_match(Seat.objects.values_list("match_id", flat=True).get(pk=seat_id))
        seat = Seat.objects.select_related("user").get(pk=seat_id)
        if not match.is_running or not seat.is_waiting or seat.remind_at is None or seat.remind_at > now:
            return False
        fell_due, announced = seat.remind_at, seat.due_at
        timing.set_alarms(match, seat, now)
        wanted = seat.due_at == announced and seat.due_at is not None and seat.due_at > now
        if wanted:
            turns.tell_seat(
                match,
                seat,
                "reminder",
                turn=seat.prompt_ply,
                number=seat.reminders_sent,
                now=now,
                fell_due=fell_due.isoformat(),
            )
            seat.reminders_sent += 1
        seat.save(update_fields=["due_at", "remind_at", "reminders_sent"])
        return wanted
