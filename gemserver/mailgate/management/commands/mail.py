"""`manage.py mail`: the SMTP receiver as a process of its own."""

from __future__ import annotations

import asyncio
import signal
import socket
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gemserver.mailgate.receivers import smtp


class Command(BaseCommand):
    help = "Receive mail by SMTP for the addresses of this server, until SIGTERM or Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=settings.SMTP_HOST, help="default: SMTP_HOST")
        parser.add_argument("--port", type=int, default=settings.SMTP_PORT, help="default: SMTP_PORT")

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        try:
            listener = smtp.listen(host, port)
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host}:{port}: {error.strerror}. Choose another --port."
            ) from error
        self.stdout.write(f"Receiving mail on {host}:{port}.")
        asyncio.run(_serve_until_signalled(listener))


async def _serve_until_signalled(listener: socket.socket) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    await smtp.serve(listener, stopping)
