"""Matches that may be studied: over, dealt by the server, and public or the reader's own.

So nobody learns from a bot about a position, deal or record that they bring, nor about a match that goes on. That is
asked anew each time.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from gemserver.accounts.models import User
from gemserver.matches.models import Match
from gemserver.matches.privacy import listed_matches
from gemserver.matches.refusal import Refused


def require_studied(match: Match, user: User) -> None:
    """Raises Refused(guest, still-running, not-studied, same-deal-runs)."""
    if user.is_guest:
        raise Refused("guest", "Reviews and what-ifs are for players with an account; sign up first.")
    require_looked_back(match, user)


def require_looked_back(match: Match, reader: User | AnonymousUser) -> None:
    """Like `require_studied`, for reading what others have begun, which guests and strangers may do, too.

    Raises Refused(still-running, not-studied, same-deal-runs).
    """
    if not match.is_over:
        raise Refused("still-running", "{code} is not over yet; look back at it when it is.", code=match.code)
    if match.dealt_by is not None or not match.is_offered:
        raise Refused(
            "not-studied",
            "There are reviews and what-ifs only of matches that this server has dealt, of games that it offers; "
            "{code} is not one of them.",
            code=match.code,
        )
    if not (_is_own(match, reader) or _is_listed(match)):
        raise Refused(
            "not-studied",
            "Only those who played {code} see its reviews and what-ifs: it was practice, or not open to "
            "everybody.",
            code=match.code,
        )
    if runs_elsewhere(match):
        raise Refused(
            "same-deal-runs",
            "Another match of the deal of {code} is running; look back when that is over, too.",
            code=match.code,
        )


def may_others_look_back(match: Match, reader: User | AnonymousUser) -> bool:
    """True if anybody but this reader may look back at this match."""
    return _is_listed(match) or match.seats.exclude(user=None).exclude(user=reader.pk).exists()


def _is_own(match: Match, reader: User | AnonymousUser) -> bool:
    return isinstance(reader, User) and match.seats.filter(user=reader).exists()


def _is_listed(match: Match) -> bool:
    return listed_matches().filter(pk=match.pk).exists()


def runs_elsewhere(match: Match) -> bool:
    """True if a running match has the same deal, as when a fixture is played again."""
    same = Match.objects.filter(status=Match.Status.RUNNING, game=match.game, server_part=match.server_part)
    return bool(match.server_part) and same.exclude(pk=match.pk).exists()
