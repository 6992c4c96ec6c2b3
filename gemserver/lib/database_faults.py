"""What a database error means for whoever met it: that somebody else is in the way, or that a plan is outdated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from django.db import Error, InterfaceError, OperationalError, transaction

P = ParamSpec("P")
T = TypeVar("T")

_TAKES_TOO_LONG = "57014"
_PASSING = ("08", "40", "53", "55P03", "57P", "25P03")
"""SQLSTATEs, or how they begin: connection lost, deadlock, no room, lock not available, shut down, idle too long."""


def is_passing(error: BaseException) -> bool:
    """Whether it lies with others and passes: a row or the database is held by somebody, or nobody answers."""
    if not isinstance(error, Error):
        return False
    cause = error.__cause__
    if name := getattr(cause, "sqlite_errorname", None):
        return str(name).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
    state = getattr(cause, "sqlstate", None)
    if state is None:  # the connection could not be had, or was cut
        return cause is not None and isinstance(error, OperationalError | InterfaceError)
    return str(state).startswith(_PASSING)


def is_too_long(error: BaseException) -> bool:
    """Whether the statement was ended for the time it took."""
    return isinstance(error, Error) and getattr(error.__cause__, "sqlstate", None) == _TAKES_TOO_LONG


def is_outdated_plan(error: BaseException) -> bool:
    """Whether PostgreSQL has kept a plan whose columns a migration has changed since.

    Known by where it is said, as the words are the database's language. Whoever meets it in a transaction can do the
    whole of that again: with the rollback the connection has forgotten its plans.
    """
    diagnosis: Any = getattr(error.__cause__, "diag", None)
    return isinstance(error, Error) and getattr(diagnosis, "source_function", None) == "RevalidateCachedQuery"


def with_new_plans(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call it, and once more when its transaction met an outdated plan: the first call has then done nothing.

    For what is safe to run twice; inside a transaction of the caller's nothing is called again.
    """
    try:
        return function(*args, **kwargs)
    except Error as error:
        if not is_outdated_plan(error) or transaction.get_connection().in_atomic_block:
            raise
    return function(*args, **kwargs)
