"""Matches that may be studied: finished ones that anybody may read, and one's own practice once it is over.

Whoever could bring a position could ask a computer player about a match that goes on elsewhere. So there is no other
way to a position: the server has dealt it, and everything that answers asks anew at each request.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from gemserver.accounts.models import User
from gemserver.matches.models import Match, Seat
from gemserver.matches.privacy import is_public
from gemserver.matches.readers import find_match
from gemserver.matches.refusal import Refused


def is_own_practice(match: Match, user: User | AnonymousUser) -> bool:
    """True for a finished match that the server dealt and this user played against its bots alone."""
    if not isinstance(user, User) or user.is_guest or not match.is_over or not match.is_offered:
        return False
    if match.dealt_by is not None or match.club_id is not None or match.created_by_id != user.pk:
        return False
    holders = {(seat.user_id, seat.bot != Seat.Bot.NONE) for seat in match.read_seats()}
    return (user.pk, False) in holders and holders <= {(user.pk, False), (None, True)}


def find_studied(code: str, user: User | AnonymousUser) -> Match:
    """Find a match that this user may study. Raises Refused(no-such-match, not-studied)."""
    match, _ = find_match(code, user)
    if not is_public(match) and not is_own_practice(match, user):
        raise Refused(
            "not-studied",
            "{code} cannot be studied: that is for finished public matches, and for your own practice when it is over.",
            code=match.code,
        )
    return match
