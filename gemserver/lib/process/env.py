"""Settings from the environment: text, flags, numbers, lists and database URLs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    """The variable without surrounding blanks, or the default when unset or empty."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    """True for 1, yes, true, on; raises ImproperlyConfigured for anything that is neither yes nor no."""
    value = text(name).lower()
    if not value:
        return default
    if value in {"1", "yes", "true", "on"}:
        return True
    if value in {"0", "no", "false", "off"}:
        return False
    raise ImproperlyConfigured(f"{name}={value!r}: write yes or no.")


MOST = 10**9


def number(name: str, default: int, least: int = 0, most: int = MOST) -> int:
    """A whole number within these bounds; raises ImproperlyConfigured for anything else."""
    value = text(name)
    if not value:
        return default
    if not re.fullmatch(r"-?[0-9]{1,12}", value) or not least <= int(value) <= most:
        upwards = f"of {least} or more" if most == MOST else f"from {least} to {most}"
        raise ImproperlyConfigured(f"{name}={value!r}: write a whole number {upwards}.")
    return int(value)


def choice(name: str, default: str, choices: Sequence[str]) -> str:
    """One of these words, in upper case; raises ImproperlyConfigured for anything else."""
    value = text(name, default).upper()
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r}: write one of {', '.join(choices)}.")
    return value


def words(name: str, default: str = "") -> list[str]:
    """A list separated by commas or blanks."""
    return text(name, default).replace(",", " ").split()


def address(name: str) -> str:
    """An address such as `redis://user:password@host:port`; raises ImproperlyConfigured for what is none."""
    _split(value := text(name), name)
    return value


def _split(url: str, name: str) -> SplitResult:
    """The parts of an address. Raises ImproperlyConfigured, without the words of the error, which quote a password."""
    try:
        parts = urlsplit(url)
        # A / in a password ends the host for every reader of addresses: what follows would be the database's name.
        is_whole = parts.port != 0 and not parts.fragment and "@" not in parts.path
    except ValueError:
        is_whole = False
    if not is_whole:
        raise ImproperlyConfigured(
            f"{name} is no address: a port is a number up to 65535, and in a name or password write %2F for /, %3F "
            "for ?, %23 for #, %40 for @, %3A for : and %25 for %."
        )
    return parts


def prefixed(prefix: str) -> dict[str, str]:
    """All variables that begin with `prefix`, by the rest of their names."""
    return {name[len(prefix) :]: value for name, value in os.environ.items() if name.startswith(prefix)}


_SQLITE_OPTIONS = {
    # Every transaction takes the one write lock at its start: read-then-write never fails half-way.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
}


_POSTGRES_OPTIONS = {
    # PostgreSQL keeps the plan of a statement from its fifth run on, which halves the database's time for a move.
    "server_side_binding": True,
    "prepare_threshold": 5,
    # Do not wait for a machine that is gone: seconds, and milliseconds for data that is sent but not acknowledged.
    "connect_timeout": 5,
    "tcp_user_timeout": 30_000,
}
_UNPREPARED = "none"


def database(url: str) -> dict[str, Any]:
    """Django's database settings for `postgres://user:password@host:port/name?option=…` or `sqlite:///path`.

    Options are libpq's, and two more for poolers that give each transaction another connection:
    `prepare_threshold=none` if their connections keep no prepared statements, and `server_side_cursors=no`, as a cursor
    would be lost from one connection to the next.
    """
    parts = _split(url, "DATABASE_URL")
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": unquote(parts.path[1:]),
            "OPTIONS": dict(_SQLITE_OPTIONS),
        }
    if parts.scheme in {"postgres", "postgresql"}:
        options = dict(parse_qsl(parts.query))
        return {
            "ENGINE": "gemserver.lib.database.postgresql",
            "NAME": unquote(parts.path[1:]),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(parts.port or ""),
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
            "DISABLE_SERVER_SIDE_CURSORS": _without_cursors(options.pop("server_side_cursors", "yes")),
            "OPTIONS": _postgres_options(options),
        }
    raise ImproperlyConfigured("DATABASE_URL must begin with postgres:// or sqlite:///.")


def _without_cursors(value: str) -> bool:
    if value not in {"yes", "no"}:
        raise ImproperlyConfigured("DATABASE_URL: server_side_cursors is yes or no.")
    return value == "no"


def _postgres_options(given: dict[str, str]) -> dict[str, Any]:
    from psycopg import ProgrammingError  # not for the embedded server, which has SQLite
    from psycopg.conninfo import make_conninfo

    threshold = given.pop("prepare_threshold", "")
    if threshold not in {"", _UNPREPARED}:
        raise ImproperlyConfigured(f"DATABASE_URL: prepare_threshold is {_UNPREPARED} or is left out.")
    try:
        make_conninfo(**given)
    except ProgrammingError as error:
        raise ImproperlyConfigured(
            f"DATABASE_URL: {error}; what follows the ? are options of libpq."
        ) from None
    return {**_POSTGRES_OPTIONS, **given, **({"prepare_threshold": None} if threshold else {})}
