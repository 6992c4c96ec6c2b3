"""The reminder before a seat's time runs out."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.matches import turns
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Seat


def remind_seat(seat_id: int, *, now: datetime) -> bool:
    """Queue the reminder of a seat that still has not moved; whether there was one to send."""
    with transaction.atomic():
        match = lock_match(Seat.objects.values_list("match_id", flat=True).get(pk=seat_id))
        seat = Seat.objects.select_related("user").get(pk=seat_id)
        if not match.is_running or not seat.is_waiting or seat.remind_at is None or seat.remind_at > now:
            return False
        seat.remind_at = None
        seat.save(update_fields=["remind_at"])
        turns.tell_seat(match, seat, "reminder", turn=seat.prompt_ply, now=now)
        return True
