"""The whole server in one process on the loopback interface: web, Celery worker, beat and SMTP receiver.

The queue is in memory and is lost with the process; nothing else is, because every duty is a row that the sweeps find
again. This mode has one-click sign-in and a mail room, so nothing here can be made to listen elsewhere.
"""

from __future__ import annotations

import fcntl
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from celery import beat
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler

from gemserver.celery import app
from gemserver.lib.web.storable_text import Utf8Handler
from gemserver.mailgate.receivers import smtp

LOOPBACK = "127.0.0.1"
STOP_WITHIN = 10
"""Seconds after which the process ends even if some part of it does not."""


class AlreadyRunning(Exception):
    """Another server uses this data; `url` is its address, if it has written it yet."""

    def __init__(self, url: str) -> None:
        self.url = url
        super().__init__(url)


@contextmanager
def only_server_on(folder: Path) -> Iterator[Path]:
    """Hold the data folder for this process; yields the file in which to write its address.

    Raises AlreadyRunning. The lock ends with the process, however that ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "play.lock"
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(path.read_text().strip()) from None
        file.truncate(0)
        yield path


class EmbeddedServer:
    """The parts of the server, from `start` to `stop`.

    Both sockets are opened first, so that a taken port is known before anything else is done.
    """

    def __init__(self, port: int, smtp_ports: Sequence[int]) -> None:
        """Open the sockets; the receiver takes the first free one of its ports, and 0 means any.

        Raises OSError whose `filename` is the port that is taken.
        """
        self._smtp_listener = _listen(smtp_ports)
        try:
            self._web = ThreadedWSGIServer((LOOPBACK, port), WSGIRequestHandler)
        except OSError as error:
            self._smtp_listener.close()
            raise _named(error, port) from None
        self.port = self._web.server_port
        self.smtp_port: int = self._smtp_listener.getsockname()[1]

    def start(self) -> None:
        """Start to serve, to work and to receive."""
        self._receiver = smtp.BackgroundReceiver(self._smtp_listener)
        # app.Worker would take over standard output and logging.
        self._worker = app.WorkController(
            pool="threads",
            concurrency=2,
            hostname="play@localhost",
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
            loglevel="INFO",
            logfile=None,
        )
        # The plain scheduler keeps no file of its own: due work stands in our rows.
        self._beat = beat.Service(app, max_interval=1, scheduler_cls="gemserver.beat:Scheduler")
        self._web.set_app(Utf8Handler())
        for name, run in {
            "worker": self._worker.start,
            "beat": self._beat.start,
            "web": self._web.serve_forever,
        }.items():
            threading.Thread(target=run, name=name, daemon=True).start()

    def stop(self) -> None:
        """Stop the parts, first those that make work."""
        last_resort = threading.Timer(STOP_WITHIN, os._exit, [0])
        last_resort.daemon = True
        last_resort.start()
        self._beat.stop()
        self._web.shutdown()
        self._web.server_close()
        self._receiver.stop()
        self._worker.stop()
        last_resort.cancel()


def _listen(ports: Sequence[int]) -> socket.socket:
    first, *others = ports
    try:
        return smtp.listen(LOOPBACK, first)
    except OSError as error:
        if others:
            return _listen(others)
        raise _named(error, first) from None


def _named(error: OSError, port: int) -> OSError:
    return OSError(error.errno, error.strerror, str(port))
