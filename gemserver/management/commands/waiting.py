"""`manage.py waiting`: the process that keeps the requests of programs until there is news."""

from __future__ import annotations

import resource
from types import FrameType
from typing import Any

import uvicorn
from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandParser

LAST_ANSWERS = 5
"""Seconds in which the answers to all who wait are made and sent at the end."""


class Command(BaseCommand):
    help = "Keep requests that prefer to wait until there is news, until SIGTERM or Ctrl-C."
    # The application checks what is served, once it is loaded.
    requires_system_checks = (Tags.security,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=settings.HOST, help="default: HOST")
        parser.add_argument("--port", type=int, default=settings.WAITING_PORT, help="default: WAITING_PORT")

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        from gemserver.asgi import application

        _allow_many_connections()
        configuration = uvicorn.Config(
            application,
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            server_header=False,
            # The site itself reads X-Forwarded-For, and knows how many proxies there are.
            proxy_headers=False,
            ws="none",
            lifespan="on",
            backlog=2048,
            timeout_graceful_shutdown=LAST_ANSWERS,
        )
        _Server(configuration).run()


class _Server(uvicorn.Server):
    """A server that answers everybody who waits as soon as it is told to end."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.config.app.close()  # type: ignore[union-attr]
        super().handle_exit(sig, frame)


def _allow_many_connections() -> None:
    """Take as many open files as the system allows: each request that is kept is one."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
