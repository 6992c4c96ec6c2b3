"""Send the reminders before a seat's time runs out."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.matches import timing, turns
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Seat
from gemserver.notify.models import OutboxMessage


def remind_seat(seat_id: int, *, now: datetime) -> bool:
    """Queue the reminder of a seat that still has not moved; True if one was queued.

    Each reminder is decided once, under the lock. One that is too late, because the next is due as well or the time is
    up, is skipped. If the due time has been postponed, the reminder is postponed with it.
    """
    with transaction.atomic():
        match = lock_match(Seat.objects.values_list("match_id", flat=True).get(pk=seat_id))
        seat = Seat.objects.select_related("user").get(pk=seat_id)
        if not match.is_running or not seat.is_waiting or seat.remind_at is None or seat.remind_at > now:
            return False
        due = timing.due_at(match, seat)
        if due != seat.due_at:
            timing.renew_alarms(match, [seat], now)
            seat.save(update_fields=_FIELDS)
            return False
        wanted = due is not None and due > now and not _has_told(match, seat, due, now)
        if wanted:
            turns.tell_seat(
                match,
                seat,
                "reminder",
                turn=seat.prompt_ply,
                number=seat.reminders_sent,
                now=now,
                fell_due=seat.remind_at.isoformat(),
            )
            seat.reminders_sent += 1
        seat.reminded_for = due
        timing.set_alarms(match, seat, now)
        seat.save(update_fields=_FIELDS)
        return wanted


_FIELDS = ["due_at", "remind_at", "reminders_sent", "reminded_for"]


def _has_told(match: Match, seat: Seat, due: datetime, now: datetime) -> bool:
    """True if the due time was postponed while the last reminder waited to be sent, so that it tells the new one."""
    if seat.reminded_for is None or not timing.is_told_again(match, seat):
        return False
    last = OutboxMessage.objects.filter(
        kind="reminder", thread=match.thread, data__seat=seat.index, created_at__gte=seat.prompted_at
    ).last()
    if last is None:
        return False
    if last.state == OutboxMessage.State.QUEUED:
        return True
    # Otherwise the stop lies between that mail and now.
    return last.sent_at is not None and now - last.sent_at < due - seat.reminded_for
