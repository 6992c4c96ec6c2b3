"""Celery's transport within one process, with short queues (see `broker`): for `make play`, and for tests."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty
from typing import Any

from kombu.transport import memory

from gemserver.schedule import WAITING


class Channel(memory.Channel):
    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:
        super()._put(queue, message, **kwargs)
        while self._size(queue) > WAITING:
            with suppress(Empty):  # A worker was quicker.
                self._get(queue)


class Transport(memory.Transport):
    Channel = Channel
