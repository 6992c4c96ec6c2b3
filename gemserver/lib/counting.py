"""Lets those who count rows against a limit do it one after the other, where there is no row that they could lock."""

from __future__ import annotations

from hashlib import blake2b

from django.db import connection


def count_alone(limit: str) -> None:
    """Wait until nobody else counts against this limit; it is ours until the transaction ends.

    To be taken behind the match (`lock_order.ORDER`): so nobody holds it who waits for one, and a table that is held
    holds up no other. On SQLite the transaction itself is the lock.
    """
    _wait(limit)


def _wait(limit: str) -> None:
    if connection.vendor != "postgresql":
        return
    key = int.from_bytes(blake2b(limit.encode(), digest_size=8).digest(), "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])
