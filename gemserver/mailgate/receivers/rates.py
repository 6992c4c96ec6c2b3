"""Limits on how often something may happen, counted by all receivers together, in the database."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable
from datetime import timedelta
from hashlib import blake2b

from django.conf import settings
from django.db import connection

from gemserver.inbox.models import MailCount
from gemserver.lib import clock


class SharedLimit:
    """At most `limit` events per key within `seconds` of the first one; a limit of 0 means none.

    `allows` and `give_back` touch the database. `alone` counts in this process, for when the database cannot.
    """

    def __init__(self, name: str, limit: int, seconds: float) -> None:
        self.limit = limit
        self.alone = RateLimit(limit, seconds)
        self._name = name
        self._span = timedelta(seconds=seconds)

    def allows(self, key: Hashable) -> bool:
        """Count one event and say whether it is within the limit."""
        return not self.limit or self._count(self._number(key)) <= self.limit

    def give_back(self, key: Hashable) -> None:
        """Take back an event that was counted."""
        if self.limit:
            table = connection.ops.quote_name(MailCount._meta.db_table)
            with connection.cursor() as cursor:
                cursor.execute(
                    f"UPDATE {table} SET used = used - 1 WHERE key = %s AND used > 0", [self._number(key)]
                )

    def _count(self, number: int) -> int:
        """Count one event under this number; return how many there were. One statement, so that none is lost."""
        table = connection.ops.quote_name(MailCount._meta.db_table)
        now = clock.now()
        adapt = connection.ops.adapt_datetimefield_value
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} AS known (key, used, ends_at) VALUES (%s, 1, %s) "
                "ON CONFLICT (key) DO UPDATE SET "
                "used = CASE WHEN known.ends_at > %s THEN known.used + 1 ELSE 1 END, "
                "ends_at = CASE WHEN known.ends_at > %s THEN known.ends_at ELSE excluded.ends_at END "
                "RETURNING used",
                [number, adapt(now + self._span), adapt(now), adapt(now)],
            )
            (used,) = cursor.fetchone()
        return int(used)

    def _number(self, key: Hashable) -> int:
        """A number for the key, from which neither host nor address can be read."""
        digest = blake2b(
            repr((self._name, key)).encode(), digest_size=8, key=settings.SECRET_KEY.encode()[:64]
        )
        return int.from_bytes(digest.digest(), signed=True)


class RateLimit:
    """Like `SharedLimit`, for this process alone.

    A window begins with the first event after the last one ended, for all keys at once, so that nothing is kept longer.
    """

    def __init__(self, limit: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._ends = clock()
        self._counts: Counter[Hashable] = Counter()

    def allows(self, key: Hashable) -> bool:
        """Count one event and say whether it is within the limit."""
        now = self._clock()
        if now >= self._ends:
            self._counts.clear()
            self._ends = now + self._seconds
        self._counts[key] += 1
        return not self._limit or self._counts[key] <= self._limit
