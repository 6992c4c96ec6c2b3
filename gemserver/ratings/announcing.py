"""The line about ratings in the log of each match: what has changed, or why nothing has."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Notice
from gemserver.ratings.models import RatedMatch, RatingChange

KEY = "rating"


def announce(match_ids: Collection[int], now: datetime) -> None:
    """Write the line of each of these matches, or make it right; the caller holds the lock of their pool."""
    rated = {
        row.match_id: row for row in RatedMatch.objects.filter(match__in=match_ids).select_related("match")
    }
    changes: dict[int, list[RatingChange]] = {}
    for change in RatingChange.objects.filter(match__in=match_ids).order_by("seat"):
        changes.setdefault(change.match_id, []).append(change)
    written = {notice.match_id: notice for notice in Notice.objects.filter(match__in=match_ids, key=KEY)}
    for match_id in sorted(rated):  # by key, as everybody who locks several matches does
        kind, data = line(rated[match_id], changes.get(match_id, []))
        known = written.get(match_id)
        if known is None:
            notices.post(lock_match(match_id), kind, KEY, now=now, **data)
        elif (known.kind, known.data) != (kind, data):
            lock_match(match_id)  # so that whoever looks at the match is told
            Notice.objects.filter(pk=known.pk).update(kind=kind, data=data)


def line(rated: RatedMatch, changes: Sequence[RatingChange]) -> tuple[str, dict[str, Any]]:
    """Kind and data of the notice about this match."""
    if rated.refusal:
        return f"unrated-{rated.refusal}", {}
    told = [
        {
            "seat": change.seat,
            "before": change.before.number,
            "after": change.after.number,
            "is_spared": change.is_spared,
            "is_former": _has_left(rated.match, change),
        }
        for change in changes
    ]
    return "rated", {"ratings": told}


def _has_left(match: Match, change: RatingChange) -> bool:
    """True if others played on in the seat. Whoever resigns among two ends the match and keeps it."""
    has_resigned = change.why == RatingChange.Why.RESIGNED and match.ending != Match.Ending.RESIGNED
    return has_resigned or change.why == RatingChange.Why.TIME
