"""Locks without a row, for those who count rows against a limit or decide about one thing, one after the other."""

from __future__ import annotations

from hashlib import blake2b

from django.db import connection

from gemserver.lib.database.lock_order import DECISION, LIMIT


def count_alone(limit: str) -> None:
    """Wait until nobody else counts against this limit; it is ours until the transaction ends.

    To be taken behind the match (`lock_order.ORDER`): so nobody holds it who waits for one, and a table that is held
    holds up no other. On SQLite the transaction itself is the lock.
    """
    _wait(LIMIT, limit)


def decide_alone(subject: str) -> None:
    """Wait until no other moderator decides about this; it is ours until the transaction ends. To be taken first."""
    _wait(DECISION, f"decisions about {subject}")


def _wait(place: str, name: str) -> None:
    """Take the lock of this name, which has this place in `lock_order.ORDER`; `tests/lock_watch.py` reads it."""
    if connection.vendor != "postgresql":
        return
    key = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])
