"""The log of a run: one line per event, with the seconds since the start."""

from __future__ import annotations

import time

_STARTED = time.monotonic()


def say(text: str) -> None:
    print(f"{time.monotonic() - _STARTED:6.1f} s  {text}", flush=True)
