"""Pause and resume all clocks of one match by a moderator's decision; the table is told."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.matches import timing
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Stop
from gemserver.matches.refusal import Refused


def pause_match(match_id: int, why: str, *, now: datetime) -> Stop:
    """Stop all clocks of the match; moves may still be played. `why` is shown to the table.

    Raises Refused(not-running, paused).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        if not match.is_running:
            raise Refused("not-running", "{code} is not running; its clocks stand still.", code=match.code)
        if match.stops.filter(end=None).exists():
            raise Refused("paused", "{code} is paused already; resume it first.", code=match.code)
        stop = Stop.objects.create(match=match, reason=Stop.Reason.PAUSE, start=now, is_told=True)
        timing.reset_alarms(match, now)
        notices.post(match, "paused", f"paused:{stop.pk}", now=now, why=why)
    return stop


def resume_match(match_id: int, why: str, *, now: datetime) -> None:
    """Restart the clocks. `why` is shown to the table. Raises Refused(not-paused)."""
    with transaction.atomic():
        match = lock_match(match_id)
        stop = match.stops.filter(end=None).first()
        if stop is None:
            raise Refused("not-paused", "{code} is not paused; its clocks run.", code=match.code)
        stop.end = max(now, stop.start + timedelta(microseconds=1))
        stop.save(update_fields=["end"])
        timing.reset_alarms(match, now)
        notices.post(match, "unpaused", f"resumed:{stop.pk}", now=now, why=why)
