"""A clock of real processes that is moved while they run: an hour passes in an instant, or comes back.

    clock = Clock(folder)
    process = Process(…, environment=production_environment | clock.environment)
    process.start()
    clock.move(timedelta(days=1))

The next time that a process with this environment asks `gemserver.lib.clock`, it is a day further. Only the server's
own clock moves: Celery, Redis and PostgreSQL follow the machine's, and so do cookies and sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

VARIABLE = "CLOCK_FILE"
SETTINGS = "tests.services.settings"


class Clock:
    """Keeps the offset of the processes' clock from the machine's in a file of the folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self.ahead = timedelta(0)
        self._write()

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables for a process that follows this clock, beside the environment of production."""
        return {"DJANGO_SETTINGS_MODULE": SETTINGS, VARIABLE: str(self._file)}

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def move(self, by: timedelta) -> None:
        """Put the clock ahead, or back if `by` is negative, for all processes at once."""
        self.ahead += by
        self._write()

    def _write(self) -> None:
        """Replace the file in one step: nobody reads half a number."""
        draft = self._file.with_suffix(".new")
        draft.write_text(str(self.ahead.total_seconds()))
        draft.replace(self._file)


def read_offset(path: Path) -> timedelta:
    """The offset in the file."""
    return timedelta(seconds=float(path.read_text()))
