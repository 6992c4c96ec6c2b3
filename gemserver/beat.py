"""Celery's scheduler, which does not wait until a clock that was put back has caught up."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from celery import beat

PUT_BACK = timedelta(seconds=2)
"""Less than this is a clock that is kept in step."""


class Scheduler(beat.Scheduler):  # type: ignore[misc]
    """Keeps no file; every task is due at its interval from when beat starts, by a clock that may be put back.

    Celery remembers by the machine's clock when each task is due next: an hour back, and nothing would run for an hour.
    """

    _ticked_at: datetime | None = None

    def tick(self, *args: Any, **kwargs: Any) -> float:
        now = self.app.now()
        if self._ticked_at and now < self._ticked_at - PUT_BACK:
            beat.logger.warning("the clock was put back: %s after %s", now, self._ticked_at)
            for entry in self.schedule.values():
                entry.last_run_at -= self._ticked_at - now
            self._heap = None  # made anew by Celery
        self._ticked_at = now
        delay: float = super().tick(*args, **kwargs)
        return delay
