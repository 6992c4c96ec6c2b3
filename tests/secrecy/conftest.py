"""Stops the clock, so that two futures happen at the same instant."""

from __future__ import annotations

import pytest
from django.conf import LazySettings

from gemserver.lib import clock
from tests.builders import NOON


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    settings.METRICS_TOKEN, settings.VAPID_KEY = "figures", "A" * 42 + "E"
