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
        raise Refused("guest", "Looking back with a bot is for players with an account; sign up first.")
    require_looked_back(match, user)


def require_looked_back(match: Match, reader: User | AnonymousUser) -> None:
    """Like `require_studied`, for reading what others have begun, which guests and strangers may do, too.

    Raises Refused(still-running, not-studied, same-deal-runs).
    """
    if not match.is_over:
        raise Refused("still-running", "{code} is not over yet; look back at it when it is.", code=match.code)
    if not _may_study(match, reader):
        raise Refused(
            "not-studied",
            "Bots look back at matches that this server has dealt, and that are public or your own; {code} is not "
            "one of them.",
            code=match.code,
        )
    if runs_elsewhere(match):
        raise Refused(
            "same-deal-runs",
            "Another match of the deal of {code} is running; look back when that is over, too.",
            code=match.code,
        )


def _may_study(match: Match, reader: User | AnonymousUser) -> bool:
    if match.status != Match.Status.FINISHED or match.dealt_by is not None or not match.is_offered:
        return False
    is_own = isinstance(reader, User) and match.seats.filter(user=reader).exists()
    return is_own or listed_matches().filter(pk=match.pk).exists()


def runs_elsewhere(match: Match) -> bool:
    """True if a running match has the same deal, as when a fixture is played again."""
    same = Match.objects.filter(status=Match.Status.RUNNING, game=match.game, server_part=match.server_part)
    return bool(match.server_part) and same.exclude(pk=match.pk).exists()
