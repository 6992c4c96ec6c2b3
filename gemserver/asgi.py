"""ASGI entry of the waiting process (`manage.py waiting`); production unless a mode is given."""

from __future__ import annotations

from gemserver.serving import set_up

set_up()

from gemserver.waiting.application import WaitingApplication  # noqa: E402 needs Django to be set up

application = WaitingApplication()
