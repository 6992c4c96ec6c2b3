"""`manage.py mail`: a receiver in its own process, by SMTP, by LMTP behind a mail server, or from a mailbox."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gemserver.lib.database import patience
from gemserver.mailgate.receivers import lmtp, smtp

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Command(BaseCommand):
    help = "Receive mail for the addresses of this server by SMTP, LMTP or IMAP, until SIGTERM or Ctrl-C."
    # Like a worker: the other checks load all pages of the site, and this process serves none.
    requires_system_checks = (Tags.security,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=settings.SMTP_HOST, help="default: SMTP_HOST")
        parser.add_argument("--port", type=int, default=settings.SMTP_PORT, help="default: SMTP_PORT")
        parser.add_argument(
            "--lmtp",
            metavar="ADDRESS",
            help="take mail from the mail server on this machine by LMTP instead: a path, or 127.0.0.1:PORT",
        )

        parser.add_argument(
            "--imap", action="store_true", help="fetch mail from the mailbox at IMAP_HOST instead"
        )

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        patience.serve_as(patience.MAIL)
        if options.get("imap"):
            self._fetch()
            return
        local: str | None = options.get("lmtp")
        listener, serve = _listen_locally(local) if local else _listen(host, port)
        self.stdout.write(f"Receiving mail on {local or f'{host}:{port}'}.")
        asyncio.run(_until_signalled(serve, listener))

    def _fetch(self) -> None:
        if not (settings.IMAP_HOST and settings.IMAP_USER and settings.IMAP_PASSWORD):
            raise CommandError("No mailbox is known; set IMAP_HOST, IMAP_USER and IMAP_PASSWORD.")
        if settings.IMAP_TLS == "none" and settings.IMAP_HOST not in LOOPBACK:
            raise CommandError("IMAP_TLS=none would send the password in clear; set it to yes or starttls.")
        signals: list[int] = []  # no lock in a handler: a second signal would wait for the first for ever
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda received, frame: signals.append(received))
        # Not loaded by a server that others hand their mail to.
        from gemserver.mailgate.receivers import imap

        self.stdout.write(f"Receiving mail from {settings.IMAP_FOLDER} of {settings.IMAP_USER}.")
        imap.watch(lambda: bool(signals))


Serve = Callable[[socket.socket, asyncio.Event], Awaitable[None]]


def _listen(host: str, port: int) -> tuple[socket.socket, Serve]:
    try:
        return smtp.listen(host, port), smtp.serve
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another --port."
        ) from error


def _listen_locally(address: str) -> tuple[socket.socket, Serve]:
    try:
        return lmtp.listen(address), lmtp.serve
    except lmtp.NotLocal as error:
        raise CommandError(
            f"{address} can be reached from other machines, and LMTP asks nobody who they are. "
            "Choose a path, or an address like 127.0.0.1:2424."
        ) from error
    except (OSError, ValueError) as error:
        raise CommandError(
            f"Cannot listen on {address}: {error}. Choose another path or another port."
        ) from error


async def _until_signalled(serve: Serve, listener: socket.socket) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    await serve(listener, stopping)
