"""The lock that serialises everything that happens in one match."""

from __future__ import annotations

from django.db.models import CharField

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.matches import tables
from gemserver.matches.models import Match
from gemserver.matches.privacy import no_such_match
from gemserver.matches.refusal import Refused
from gemserver.nudge import tell_of


def lock_match(match_id: int) -> Match:
    """Return the match, its row locked until the transaction ends (on SQLite the transaction itself is the lock).

    Raises Refused(no-such-match).
    """
    return _only(_locked(match=match_id))


def lock_match_called(code: str) -> Match:
    """Like `lock_match`, by the match's code; raises Refused(no-such-match)."""
    return _only(_locked_called(code=code))


def _only(found: list[Match]) -> Match:
    if not found:
        raise no_such_match()
    (match,) = found
    # Every writer comes by here, so that whoever waits for news of the match hears of all that happens.
    tell_of(match.pk)
    return match


_locked = Prepared(lambda: Match.objects.select_for_update(no_key=True).filter(pk=Param("match")))
_locked_called = Prepared(
    lambda: Match.objects.select_for_update(no_key=True).filter(code=Param("code", CharField()))
)


def lock_open_table(match_id: int) -> Match:
    """Like `lock_match`, for a table that still waits for players; raises Refused(not-open) too."""
    match = lock_match(match_id)
    if match.status != Match.Status.OPEN:
        raise Refused(
            "not-open", "{code} has already started or was cancelled; join another table.", code=match.code
        )
    return match


def lock_open_account(user_id: int) -> User:
    """Like `lock_user`, for what its owner makes; raises Refused(shut) if moderators have shut it meanwhile.

    They shut what there was with it; what is made behind them would stay open.
    """
    user = lock_user(user_id)
    if not user.is_active:
        raise Refused("shut", "This account is shut.")
    return user


def lock_table_as_host(match_id: int, host: User | None) -> Match:
    """Like `lock_open_table`, for what only the host may do; raises Refused(not-host) too.

    A `host` of None is the server itself, which may do everything.
    """
    match = lock_open_table(match_id)
    if host is not None and host != tables.host_of(match):
        raise Refused("not-host", "Only the host of {code} can do this; ask them.", code=match.code)
    return match
