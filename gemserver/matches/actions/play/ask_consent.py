"""Agree to or refuse the open proposal of a table: an undo, else a holiday."""

from __future__ import annotations

from datetime import datetime

from gemserver.accounts.models import User
from gemserver.matches.actions.play.propose_undo import agree_to_undo, open_undo, refuse_undo
from gemserver.matches.actions.time.propose_holiday import agree_to_holiday, refuse_holiday
from gemserver.matches.models import Holiday, Match, Undo


def agree(match_id: int, user: User, *, now: datetime) -> Undo | Holiday:
    """Consent to the open proposal. An undo goes first, because it lapses with the next move.

    Raises Refused(not-seated, not-running, over, not-started, no-proposal).
    """
    if _is_about_undo(match_id, now):
        return agree_to_undo(match_id, user, now=now)
    return agree_to_holiday(match_id, user, now=now)


def refuse(match_id: int, user: User, *, now: datetime) -> Undo | Holiday:
    """Turn the open proposal down, an undo first. Raises Refused as `agree` does."""
    if _is_about_undo(match_id, now):
        return refuse_undo(match_id, user, now=now)
    return refuse_holiday(match_id, user, now=now)


def _is_about_undo(match_id: int, now: datetime) -> bool:
    """True if an undo is open, or was settled by this same answer before a crash."""
    match = Match.objects.get(pk=match_id)
    return open_undo(match) is not None or match.undos.filter(closed_at=now).exists()
