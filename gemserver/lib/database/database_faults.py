"""Tells database errors apart: locked or away, too long, or a plan outdated by a migration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from django.db import Error, InterfaceError, OperationalError, transaction

P = ParamSpec("P")
T = TypeVar("T")

_TAKES_TOO_LONG = "57014"
_NAMES_NOTHING = "23503"
"""A foreign key of a row that is not there, as every row is there when it is named."""
_PASSING = ("08", "40", "53", "55P03", "57P", "25P03")
"""SQLSTATEs, or how they begin: connection lost, deadlock, out of resources, lock not available, shutdown, idle too
long."""


def is_passing(error: BaseException) -> bool:
    """True if waiting may help: a row or the database is locked by somebody else, or does not answer."""
    if not isinstance(error, Error):
        return False
    cause = error.__cause__
    if name := getattr(cause, "sqlite_errorname", None):
        return str(name).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
    state = getattr(cause, "sqlstate", None)
    if state is None:  # the connection could not be had, or was cut
        return cause is not None and isinstance(error, OperationalError | InterfaceError)
    return str(state).startswith(_PASSING)


class RowGone(Exception):
    """A row has been deleted while it was waited for."""


def is_outrun(error: BaseException) -> bool:
    """True if something that was named has been deleted meanwhile, as an account that is erased.

    Whoever asks again is told how things stand.
    """
    if isinstance(error, RowGone):
        return True
    return isinstance(error, Error) and getattr(error.__cause__, "sqlstate", None) == _NAMES_NOTHING


def is_too_long(error: BaseException) -> bool:
    """True if the database ended the statement because it took too long."""
    return isinstance(error, Error) and getattr(error.__cause__, "sqlstate", None) == _TAKES_TOO_LONG


def is_outdated_plan(error: BaseException) -> bool:
    """True if PostgreSQL kept a plan whose columns a migration has changed since.

    Recognised by the function that raised it, since the message is in the database's language. The transaction may be
    run again as a whole: its rollback made the connection forget its plans.
    """
    diagnosis: Any = getattr(error.__cause__, "diag", None)
    return isinstance(error, Error) and getattr(diagnosis, "source_function", None) == "RevalidateCachedQuery"


def with_new_plans(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `function`, and once more if its transaction met an outdated plan: the first call has then done nothing.

    Only for functions that are safe to run twice. Inside a transaction of the caller's, nothing is called again.
    """
    try:
        return function(*args, **kwargs)
    except Error as error:
        if not is_outdated_plan(error) or transaction.get_connection().in_atomic_block:
            raise
    return function(*args, **kwargs)
