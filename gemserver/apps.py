"""The project itself as an application: its system checks and the `play` command."""

from __future__ import annotations

import gc
from types import ModuleType

from django.apps import AppConfig


class GemserverConfig(AppConfig):
    """The first of the applications: what the others load stays to the end, and no garbage is looked for in it.

    To search it, while it loads and when the process ends, takes a third of the CPU time of a short command.
    """

    name = "gemserver"

    def __init__(self, app_name: str, app_module: ModuleType) -> None:
        super().__init__(app_name, app_module)
        gc.disable()

    def ready(self) -> None:
        from gemserver import checks  # noqa: F401 registers them

        gc.freeze()
        gc.enable()
