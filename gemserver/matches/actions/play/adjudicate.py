"""End a running match by a moderator's decision; the table is told."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction

from gemserver.matches import turns
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused

SEAT_FIELDS = ["is_waiting", "due_at", "remind_at", "score", "rank"]


def adjudicate(
    match_id: int,
    winners: Collection[int],
    why: str,
    *,
    notice: str = "adjudicated",
    is_told: bool = True,
    now: datetime,
) -> Match:
    """End the match as it stands: `winners` (seat indexes) share first place, the others rank by their standing.

    Without winners the standing alone counts. `why` is shown to the table, in the sentence of the `notice`. `is_told`:
    by a mail of its own.
    Raises Refused(no-such-match, not-running, no-such-seat).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        if not match.is_running:
            raise Refused("not-running", "{code} is not running; there is nothing to end.", code=match.code)
        seats = match.read_seats()
        if not set(winners) <= {seat.index for seat in seats}:
            raise Refused("no-such-seat", "There is no such seat; choose winners among those who play.")
        scores, standing = turns.last_standing(match, seats)
        ranks = rank_with(winners, standing)
        notices.post(match, notice, "adjudicated", now=now, why=why)
        turns.end(match, seats, Match.Ending.ADJUDICATED, scores, ranks, now, is_told=is_told)
        Seat.objects.bulk_update(seats, SEAT_FIELDS)
        match.save(update_fields=["status", "ending", "finished_at"])
    return match


def end_if_running(match_id: int, why: str, *, notice: str, is_told: bool = True, now: datetime) -> None:
    """Like `adjudicate` by the standing alone; a match that is over by then stays as it ended."""
    try:
        adjudicate(match_id, (), why, notice=notice, is_told=is_told, now=now)
    except Refused as refusal:
        if refusal.code != "not-running":
            raise


def rank_with(winners: Collection[int], standing: Sequence[int]) -> list[int]:
    """Ranks in seat order: `winners` first, the others by their ranks in `standing`."""
    if not winners:
        return list(standing)
    places = [1 if index in winners else 1 + rank for index, rank in enumerate(standing)]
    return [1 + sum(other < place for other in places) for place in places]
