"""The project itself as an application: its system checks and the `play` command."""

from __future__ import annotations

from django.apps import AppConfig


class GemserverConfig(AppConfig):
    name = "gemserver"

    def ready(self) -> None:
        from gemserver import checks  # noqa: F401 registers them
