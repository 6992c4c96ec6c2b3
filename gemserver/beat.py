"""Beat sends the names of the tasks that are due: `celery --app gemserver.beat beat`.

It loads neither Django's applications nor the tasks, which takes half of the memory and a quarter of the time. So it
checks nothing of a server that must not run: the workers, which do all that beat asks for, refuse to start there.
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from typing import Any

from celery import Celery, beat, signals
from django.conf import settings
from django.utils.log import configure_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
os.environ.setdefault("GEMSERVER_MODE", "production")

app = Celery("gemserver", set_as_current=False, fixups=())
# At once, as the settings' module is found only while Celery's command loads this one.
app.config_from_object("django.conf:settings", namespace="CELERY", force=True)

PUT_BACK = timedelta(seconds=2)
"""Less than this is a clock that is kept in step."""


@signals.setup_logging.connect
def log_like_the_server(**kwargs: object) -> None:
    """Keep Celery from adding its own handlers: those in the settings leave secrets out."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)


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
