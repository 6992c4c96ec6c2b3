"""`manage.py play`: the embedded server, as `make play` starts it."""

from __future__ import annotations

import errno
import signal
import sys
import threading
import time
import webbrowser
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gemserver import embedded
from gemserver.lib.process import env
from gemserver.lib.process.start_checks import require_rules
from gemserver.matches.demo import prepare_demo

RUNNING = """
The gem server is running.

  play         {url}/
  mail room    {url}/mail-room/
  mail goes to {host}:{smtp_port} (SMTP)
  data         {data}

Ctrl-C stops it; the matches stay.
"""


class Command(BaseCommand):
    help = "Run the whole server in this process, for this machine only, with a demo player and bots."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--port", type=_port_number, default=8000, help="where the pages are (default: 8000)"
        )
        parser.add_argument(
            "--no-browser", action="store_true", help="open no page, even where there is a screen"
        )

    def handle(self, *, port: int, no_browser: bool = False, **options: Any) -> None:
        if not settings.EMBEDDED or env.text("DATABASE_URL"):
            raise CommandError(
                "`play` works on the data in var/ only; unset DATABASE_URL and GEMSERVER_MODE to use it."
            )
        try:
            with embedded.only_server_on(settings.VAR_DIR) as address_file:
                self._serve(_bind(port), address_file, opens_page=not no_browser and self._has_screen())
        except embedded.AlreadyRunning as running:
            raise CommandError(
                f"A server is already running on the data in {settings.VAR_DIR}: {running.url or 'still starting'}\n"
                "Use that one, or stop it first."
            ) from None
        except KeyboardInterrupt:
            self.stdout.write("Stopped before it had started.")

    def _has_screen(self) -> bool:
        """True where somebody sits at a terminal with windows beside it: a browser in the terminal would hide it."""
        has_windows = (
            sys.platform in {"darwin", "win32"} or env.text("DISPLAY") or env.text("WAYLAND_DISPLAY")
        )
        return bool(has_windows) and self.stdout.isatty() and not env.text("CI")

    def _serve(self, server: embedded.EmbeddedServer, address_file: Path, *, opens_page: bool) -> None:
        url = f"http://{embedded.LOOPBACK}:{server.port}"
        # Mails link to the page and the mail room sends to the receiver, on whichever port they are this time.
        settings.SITE_URL = url
        settings.SMTP_HOST, settings.SMTP_PORT = embedded.LOOPBACK, server.smtp_port
        address_file.write_text(url)
        call_command("migrate", verbosity=0, interactive=False)
        try:
            require_rules()
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from None
        prepare_demo()
        received = _collect_signals()
        server.start()
        self.stdout.write(
            RUNNING.format(url=url, host=embedded.LOOPBACK, smtp_port=server.smtp_port, data=settings.VAR_DIR)
        )
        if opens_page:  # beside the server, as some browsers are waited for until they are closed
            threading.Thread(target=webbrowser.open, args=(f"{url}/",), daemon=True).start()
        while not received:
            time.sleep(0.1)
        self.stdout.write("Stopping …")
        server.stop()


def _port_number(text: str) -> int:
    if text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no port; write a number from 1 to 65535")


def _bind(port: int) -> embedded.EmbeddedServer:
    # Only the mail room needs to know the receiver's port: unless it was asked for, any will do.
    smtp_ports = [settings.SMTP_PORT] if env.text("SMTP_PORT") else [settings.SMTP_PORT, 0]
    try:
        return embedded.EmbeddedServer(port, smtp_ports)
    except OSError as error:
        raise CommandError(
            _port_trouble(error, "PORT" if error.filename == str(port) else "SMTP_PORT")
        ) from None


def _port_trouble(error: OSError, name: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {error.filename} is taken. Choose another one: make play {name}={int(error.filename) + 1}"
        )
    return (
        f"Port {error.filename} cannot be used: {error.strerror}. Choose another one: make play {name}=8001"
    )


def _collect_signals() -> list[int]:
    """The list to which every signal to stop is added.

    Not an event: a second signal, which `make` sends along with the terminal's, would wait for its lock for ever.
    """
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: received.append(number))
    return received
