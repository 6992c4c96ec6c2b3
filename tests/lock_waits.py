"""Waits until another connection waits for a lock that the test holds."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import connection, connections

SECONDS = 30
"""For another connection to come as far, on a busy machine too."""

_COUNT = """
    SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted AND pid IN (
        SELECT pid FROM pg_locks JOIN pg_database ON database = oid WHERE datname = current_database()
    )
"""
"""Of this database alone: tests of other workers wait in theirs."""


def wait_until_waiting(number: int = 1, begun: Future[None] | None = None) -> None:
    """Return when so many connections wait for a lock, or when what was `begun` is done."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with connection.cursor() as cursor:
            cursor.execute(_COUNT)
            (waiting,) = cursor.fetchone()
        if waiting >= number or (begun and begun.done()):
            return
        time.sleep(0.05)
    pytest.fail(f"fewer than {number} wait for a lock")


def begin(pool: ThreadPoolExecutor, do: Callable[[], object]) -> Future[None]:
    """Begin to do it in a thread, and return when it waits for the row that the test holds, or is done."""

    def in_thread() -> None:
        try:
            do()
        finally:
            connections.close_all()

    begun = pool.submit(in_thread)
    wait_until_waiting(begun=begun)
    return begun
