"""Give a player more time by a moderator's decision; the table is told."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.matches import timing
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Seat
from gemserver.matches.refusal import Refused

HOUR = timedelta(hours=1)
LONGEST = timedelta(days=60)


def extend_clock(match_id: int, index: int, hours: int, why: str, *, now: datetime) -> Seat:
    """Add running time to the seat's clock, beyond the cap if need be; for an overdue prompt it counts from now.

    `why` is shown to the table. Raises Refused(no-such-match, not-running, no-player, bad-span).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        seat = match.seats.select_related("user").filter(index=index).first()
        if not match.is_running:
            raise Refused("not-running", "{code} is not running; its clocks stand still.", code=match.code)
        if seat is None or seat.bot_level:
            raise Refused("no-player", "No person sits there whose clock runs; choose another seat.")
        span = hours * HOUR
        if not HOUR <= span <= LONGEST:
            raise Refused(
                "bad-span", "Give from one hour to {days} days more.", days=LONGEST // timedelta(days=1)
            )
        if seat.is_waiting:
            overdrawn = max(timedelta(0), -timing.time_left(match, seat, now))
            seat.clock_left += overdrawn + span
            timing.set_alarms(match, seat, now)
        else:
            seat.clock_left += span
        seat.save(update_fields=["clock_left", "due_at", "remind_at"])
        key = f"extended:{index}:{now.isoformat()}"
        notices.post(match, "extended", key, now=now, player=index, hours=hours, why=why)
    return seat
