"""Production's settings, with a worker that soon checks whether work passes it by."""

from __future__ import annotations

from gemserver.settings import *  # noqa: F403

WORKER_STILL = 3
