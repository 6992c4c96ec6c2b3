"""Agree to or refuse the open proposal of a table: an undo, else a holiday."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from gemserver.accounts.models import User
from gemserver.matches.actions.play.propose_undo import agree_to_undo, open_undo, refuse_undo
from gemserver.matches.actions.time.propose_holiday import agree_to_holiday, refuse_holiday
from gemserver.matches.models import Holiday, Match, Undo

Proposal: TypeAlias = Undo | Holiday


def agree(match_id: int, user: User, *, now: datetime, only: Proposal | None = None) -> Proposal:
    """Consent to the open proposal, or to `only` this one. An undo goes first, because it lapses with the next move.

    Raises Refused(not-seated, not-running, over, not-started, no-proposal).
    """
    number = only.pk if only else None
    if _is_about_undo(match_id, now, only):
        return agree_to_undo(match_id, user, now=now, only=number)
    return agree_to_holiday(match_id, user, now=now, only=number)


def refuse(match_id: int, user: User, *, now: datetime, only: Proposal | None = None) -> Proposal:
    """Turn the open proposal down, an undo first, or `only` this one. Raises Refused as `agree` does."""
    number = only.pk if only else None
    if _is_about_undo(match_id, now, only):
        return refuse_undo(match_id, user, now=now, only=number)
    return refuse_holiday(match_id, user, now=now, only=number)


def is_open(proposal: Proposal) -> bool:
    """True if the proposal still waits for consent."""
    proposal.refresh_from_db()
    match = proposal.match
    if proposal.outcome != proposal.Outcome.OPEN or not match.is_running:
        return False
    return not isinstance(proposal, Undo) or proposal.last_ply == match.ply


def _is_about_undo(match_id: int, now: datetime, only: Proposal | None) -> bool:
    """True if an undo is open, or was settled by this same answer before a crash."""
    if only is not None:
        return isinstance(only, Undo)
    match = Match.objects.get(pk=match_id)
    return open_undo(match) is not None or match.undos.filter(closed_at=now).exists()
