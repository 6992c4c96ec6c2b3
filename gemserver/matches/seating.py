"""Finds the seat of a match that a user holds."""

from __future__ import annotations

from gemserver.accounts.models import User
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused


def held_seat(match: Match, user: User) -> Seat | None:
    """The seat that this user holds, if any; not one where they are a sitter."""
    return match.seats.select_related("user").filter(user=user).first()


def require_held_seat(match: Match, user: User) -> Seat:
    """Like `held_seat`; raises Refused(not-seated) if there is none."""
    if seat := held_seat(match, user):
        return seat
    raise not_seated(match)


def not_seated(match: Match) -> Refused:
    return Refused("not-seated", "You do not sit at {code}; you can only watch.", code=match.code)
