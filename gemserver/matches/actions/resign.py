"""Giving a running match up."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games.record import RESIGN
from gemserver.accounts.models import User
from gemserver.matches import notices, replay, talk, turns
from gemserver.matches.actions.hand_over import give_up_seat
from gemserver.matches.actions.submit import require_running
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Move, Seat, Undo
from gemserver.matches.refusal import Refused

SEAT_FIELDS = ["is_waiting", "due_at", "remind_at", "score", "rank"]


def resign(match_id: int, user: User, *, source: Move.Source, request_id: str, now: datetime) -> Match:
    """Give the match up for good, as the holder of a seat; nobody who only sits in it can.

    With two seats the match ends and the other wins. With more it goes on: a bot takes the seat, until somebody else
    does if the match replaces absent players. A resignation is a ply like a move (notation, "Match record").
    The same `request_id` resigns once. Raises Refused(no-such-match, over, not-started, not-seated).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        if match.moves.filter(request_id=request_id).exists():
            return match
        require_running(match)
        seat = require_holder(match, user)
        _record(match, seat, user, source, request_id, now)
        if match.seat_count == 2:
            notices.post(match, "resigned", f"resigned:{seat.index}", now=now, player=seat.index)
            _end(match, seat, now)
        else:
            give_up_seat(match, seat, is_open=match.absence == Match.Absence.REPLACE, now=now)
        match.save(update_fields=["ply", "status", "ending", "finished_at"])
    return match


def require_holder(match: Match, user: User) -> Seat:
    """The seat that is the user's own; raises Refused(not-seated)."""
    seat = talk.held_seat(match, user)
    if seat is None:
        raise Refused(
            "not-seated", "You hold no seat in {code}; only its players can resign.", code=match.code
        )
    return seat


def _record(
    match: Match, seat: Seat, user: User, source: Move.Source, request_id: str, now: datetime
) -> None:
    match.ply += 1
    Move.objects.create(
        match=match,
        ply=match.ply,
        seat=seat.index,
        text=RESIGN,
        source=source,
        actor=user,
        request_id=request_id,
        created_at=now,
        events=[],
    )
    Undo.objects.filter(match=match, outcome=Undo.Outcome.OPEN).update(
        outcome=Undo.Outcome.LAPSED, settled_at=now
    )


def _end(match: Match, loser: Seat, now: datetime) -> None:
    seats = list(match.seats.select_related("user").order_by("index"))
    scores = match.rules.standing(replay.position(match))
    ranks = [2 if seat.index == loser.index else 1 for seat in seats]
    turns.end(match, seats, Match.Ending.RESIGNED, scores, ranks, now)
    Seat.objects.bulk_update(seats, SEAT_FIELDS)
