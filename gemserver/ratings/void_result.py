"""Take a finished match out of the ratings by a moderator's decision; the table is told."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.nudge import nudge
from gemserver.ratings.models import VoidedResult


def void_result(match_id: int, why: str, *, now: datetime) -> VoidedResult:
    """Let the result count for nobody's rating; all ratings after it are computed again soon.

    The result itself stays as it is. A second time changes nothing.
    Raises Refused(no-such-match, not-rated).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        if not can_be_voided(match):
            raise Refused(
                "not-rated",
                "{code} is no finished match with a rating; there is nothing to take out.",
                code=match.code,
            )
        voided, is_new = VoidedResult.objects.get_or_create(match=match, defaults={"why": why, "at": now})
        if is_new:
            notices.post(match, "result-voided", "result-voided", now=now, why=why)
            nudge("gemserver.ratings.tasks.rate_matches")
    return voided


def can_be_voided(match: Match) -> bool:
    """True if the match is over and wished to be rated."""
    return match.is_over and match.is_rated
