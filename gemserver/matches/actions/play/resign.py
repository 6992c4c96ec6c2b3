"""Resign from a running match."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games.record import RESIGN
from games.replay import NOT_BY_PERSON
from gemserver.accounts.models import User
from gemserver.matches import turns
from gemserver.matches.actions.play.submit import require_running
from gemserver.matches.actions.seats.hand_over import give_up_seat
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Move, Seat, Undo
from gemserver.matches.refusal import Refused
from gemserver.matches.request_names import name_request
from gemserver.matches.seating import held_seat

SEAT_FIELDS = ["is_waiting", "due_at", "remind_at", "score", "rank"]


def resign(match_id: int, user: User, *, source: Move.Source, request_id: str, now: datetime) -> Match:
    """Give the match up for good. Only the holder of a seat can; a sitter cannot.

    With two seats the match ends and the other player wins. With more it goes on: a bot takes the seat, for good, or
    until somebody else takes it if the match replaces absent players. A resignation is a ply like a move (notation,
    "Match record"). A substitute who resigns before playing adds none: the seat has resigned already, and a record
    allows that only once.
    The same `request_id` of a user resigns once. Raises Refused(no-such-match, over, not-started, not-seated).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        if _has_resigned(match, user, source, request_id):
            return match
        require_running(match)
        seat = require_holder(match, user)
        if not _is_given_up(match, seat):
            _record(match, seat, user, source, _name(user, seat.index, source, request_id), now)
        if match.seat_count == 2:
            notices.post(match, "resigned", f"resigned:{seat.index}", now=now, player=seat.index)
            _end(match, seat, now)
        else:
            give_up_seat(match, seat, is_open=match.absence == Match.Absence.REPLACE, now=now)
        match.save(update_fields=["ply", "status", "ending", "finished_at"])
    return match


def _has_resigned(match: Match, user: User, source: Move.Source, request_id: str) -> bool:
    """True if this same request was carried out. Its user holds no seat any more, so every seat is tried."""
    names = [_name(user, seat, source, request_id) for seat in range(match.seat_count)]
    return match.moves.filter(request_id__in=[name for name in names if name]).exists()


def _name(user: User, seat: int, source: Move.Source, request_id: str) -> str | None:
    """The request's name, apart from those of moves: a move and a resignation may come with the same key."""
    return name_request(f"{source}.resign", user, seat, request_id)


def require_holder(match: Match, user: User) -> Seat:
    """The seat that the user holds; raises Refused(not-seated)."""
    seat = held_seat(match, user)
    if seat is None:
        raise Refused(
            "not-seated", "You hold no seat in {code}; only its players can resign.", code=match.code
        )
    return seat


def _is_given_up(match: Match, seat: Seat) -> bool:
    """True if the seat was given up before, and no person has moved for it since."""
    moves = match.moves.filter(seat=seat.index, voided_at=None)
    last = moves.filter(text=RESIGN).order_by("ply").last()
    return last is not None and not moves.filter(ply__gt=last.ply).exclude(source__in=NOT_BY_PERSON).exists()


def _record(
    match: Match, seat: Seat, user: User, source: Move.Source, request_name: str | None, now: datetime
) -> None:
    match.ply += 1
    Move.objects.create(
        match=match,
        ply=match.ply,
        seat=seat.index,
        text=RESIGN,
        source=source,
        actor=user,
        request_id=request_name,
        created_at=now,
        events=[],
    )
    Undo.objects.filter(match=match, outcome=Undo.Outcome.OPEN).update(
        outcome=Undo.Outcome.LAPSED, closed_at=now
    )


def _end(match: Match, loser: Seat, now: datetime) -> None:
    seats = match.read_seats()
    scores, _ = turns.last_standing(match, seats)
    ranks = [2 if seat.index == loser.index else 1 for seat in seats]
    turns.end(match, seats, Match.Ending.RESIGNED, scores, ranks, now)
    Seat.objects.bulk_update(seats, SEAT_FIELDS)
