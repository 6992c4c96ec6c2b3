"""Give points to an entry, or take some."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.events.locking import lock_season
from gemserver.events.models import Correction, Entry
from gemserver.events.notifications import players_of, tell_decision
from gemserver.events.rights import require_few_decisions, require_impartial, require_reason
from gemserver.events.seasons import post, require_running
from gemserver.matches.refusal import Refused

MOST_POINTS = 100


def correct_points(
    entry_id: int, points: Decimal, *, by: User, reason: str, request_key: str, now: datetime
) -> Correction:
    """Add `points` (below zero: take them away), in hundredths at the finest; the same request corrects once.

    Raises Refused(no-such-entry, not-organiser, plays-here, no-reason, season-not-running, bad-points,
    too-many-decisions, too-long-reason).
    """
    reason = require_reason(reason)
    with transaction.atomic():
        entry = Entry.objects.select_related("division__season__event", "player").filter(pk=entry_id).first()
        if entry is None or entry.division is None:
            raise Refused("no-such-entry", "There is no such player in this season; look at the table.")
        season = lock_season(entry.season_id)
        require_impartial(entry.division, by)
        if done := entry.corrections.filter(request_key=request_key).first():
            return done
        require_running(season)
        require_few_decisions(season, now)
        if not points.is_finite() or not points or abs(points) > MOST_POINTS or points != round(points, 2):
            raise Refused(
                "bad-points",
                "Give or take up to {most} points, with at most two digits after the decimal point.",
                most=MOST_POINTS,
            )
        correction = Correction.objects.create(
            entry=entry, points=points, reason=reason, by=by, at=now, request_key=request_key
        )
        log = post(season, "corrected", by=by, now=now, reason=reason, entry=entry.pk, points=str(points))
        tell_decision(log, players_of([entry]))
    return correction
