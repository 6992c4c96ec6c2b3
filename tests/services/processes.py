"""Processes under test: started in groups of their own, with their output in a file, and reliably ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.services.log import say

STOP_PATIENCE = 30
STANDSTILL = 15
"""Seconds between two looks that only a suspended machine takes."""


class Failed(Exception):
    """The run has failed, for the reason given."""


class Process:
    """One process with all of its children; it can be restarted after it ended."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
        user: str | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._command = command
        self._environment = environment
        self._user = user
        self._cwd = cwd
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    @property
    def output(self) -> str:
        """Its output since it was last started."""
        return self.log.read_bytes()[self._log_start :].decode(errors="replace")

    def start(self) -> None:
        self._log_start = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                cwd=self._cwd,
                user=self._user,
                group=None if self._user is None else _group_of(self._user),
                extra_groups=None if self._user is None else [],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The id of the process, and of its group; raises Failed if there is none."""
        if self._process is None:
            raise Failed(f"{self.name} does not run")
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs, or if it is not started."""
        return self._process.poll() if self._process else None

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Ask the process to end; after a while, kill it with all its children."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.send_signal(number)
            try:
                self._process.wait(STOP_PATIENCE)
            except subprocess.TimeoutExpired:
                say(f"{self.name} does not stop; killing it")
        self.kill()

    def kill(self) -> None:
        """SIGKILL to the whole group."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def require_running(self) -> None:
        """Raise Failed if the process has ended by itself."""
        if self._process is not None and self._process.poll() is not None:
            raise Failed(f"{self.name} ended by itself with status {self._process.returncode}")

    def tail(self, lines: int = 40) -> str:
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])


def wait_for(
    what: str, is_reached: Callable[[], bool], *, seconds: float, watched: Sequence[Process] = ()
) -> None:
    """Look at intervals until the predicate holds; raises Failed if it does not in time.

    A pause in which the whole machine stood still does not count.
    """
    left, looked = seconds, time.monotonic()
    while not is_reached():
        for process in watched:
            process.require_running()
        if left < 0:
            raise Failed(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.05)
        gone, looked = time.monotonic() - looked, time.monotonic()
        if gone > STANDSTILL:
            say(f"{gone:.0f} s lie between two looks for {what}")
        left -= min(gone, STANDSTILL)


def answers(port: int) -> bool:
    """True if something listens on this port of the loopback interface."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _group_of(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_gid
