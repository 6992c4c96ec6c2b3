"""Close an event: no further season of it is played."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.events.locking import lock_last_season
from gemserver.events.models import Event, Season
from gemserver.events.notifications import tell_not_played
from gemserver.events.rights import require_organiser, require_reason
from gemserver.events.seasons import post


def close_event(event_id: int, *, by: User, reason: str, now: datetime) -> Event:
    """Close it; a season that runs is played to its end, entries of the next one are off. Twice changes nothing.

    Raises Refused(no-such-event, not-organiser, no-reason).
    """
    reason = require_reason(reason)
    with transaction.atomic():
        season = lock_last_season(event_id)
        event = Event.objects.select_for_update(no_key=True).get(pk=event_id)
        require_organiser(event, by)
        if event.closed_at is not None:
            return event
        event.closed_at = now
        event.save(update_fields=["closed_at"])
        is_off = season.state == Season.State.ENTERING
        if is_off:
            season.state, season.closed_at = Season.State.CANCELLED, now
            season.save(update_fields=["state", "closed_at"])
        log = post(season, "closed", by=by, now=now, reason=reason)
        if is_off:
            tell_not_played(log)
    return event
