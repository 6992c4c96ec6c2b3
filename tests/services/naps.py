"""A task that takes some time and records its begin and end, for tests of the workers themselves."""

from __future__ import annotations

import time
from pathlib import Path

from gemserver.celery import app


@app.task
def nap(seconds: float, journal: str) -> None:
    """Sleep, and add a line to this file before and after it."""
    _note(journal, "began")
    time.sleep(seconds)
    _note(journal, "ended")


def _note(journal: str, word: str) -> None:
    with Path(journal).open("a") as file:
        file.write(f"{word}\n")
