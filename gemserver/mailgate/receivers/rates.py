"""Limits on how often something may happen, counted in this process alone."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable


class RateLimit:
    """At most `limit` events per key in each window of `seconds`; a limit of 0 means none.

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
