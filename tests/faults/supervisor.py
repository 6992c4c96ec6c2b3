"""Restarts processes that have ended, and does nothing else, as systemd does for the real ones (`deploy/systemd`)."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tests.services.log import say
from tests.services.processes import Failed, Process

LOOK_EVERY = 0.1
RESTART_AFTER = 1.0
STARTING = 10.0
"""Seconds in which a process may still be starting. A Celery worker whose children die before its first look at them
gives up with "Could not start worker processes", and is started again like any process that ends."""


class Supervisor:
    """Watches processes from `start` to `stop`."""

    def __init__(self, processes: Iterable[Process]) -> None:
        self._processes = list(processes)
        self._troubles: list[str] = []
        self._killed: set[str] = set()
        self._started: dict[str, float] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        self._stopping.set()
        self._thread.join()

    def wait_for(self, process: Process) -> int:
        """The number of the process, once it runs again."""
        while True:
            with suppress(Failed):
                return process.pid
            time.sleep(LOOK_EVERY)

    def kill(self, process: Process, *, pid: int | None = None, is_child: bool = False) -> None:
        """SIGKILL the whole process group, or one process of it.

        The first process must survive the death of a child, once it has started.
        """
        with self._lock:
            if process.status is not None:
                return  # it has just ended, and is about to be started again
            is_starting = time.monotonic() - self._started.get(process.name, 0) < STARTING
            if not is_child or is_starting:
                self._killed.add(process.name)
            with suppress(ProcessLookupError, Failed):
                if pid is None:
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    os.kill(pid, signal.SIGKILL)

    def take_troubles(self) -> list[str]:
        """Processes that ended although nobody had killed them; each is reported once."""
        with self._lock:
            troubles, self._troubles = self._troubles, []
        return troubles

    def _watch(self) -> None:
        while not self._stopping.wait(LOOK_EVERY):
            for process in self._processes:
                if process.status is not None:
                    self._start_again(process)

    def _start_again(self, process: Process) -> None:
        with self._lock:
            if process.name not in self._killed:
                trouble = f"{process.name} ended by itself with status {process.status}"
                say(trouble)
                self._troubles.append(f"{trouble}\n{process.tail()}")
            self._killed.discard(process.name)
            process.kill()  # the remains of its group
        time.sleep(RESTART_AFTER)
        process.start()
        self._started[process.name] = time.monotonic()


def children_of(process: Process) -> list[int]:
    """The processes of its group, without the first one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != process.pid:
            with suppress(OSError, ProcessLookupError):
                if os.getpgid(int(entry.name)) == process.pid:
                    found.append(int(entry.name))
    return sorted(found)
