"""Sweep deadlines at an instant of the test's choice."""

from __future__ import annotations

from datetime import datetime

import pytest

from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.models import Heartbeat


def sweep(monkeypatch: pytest.MonkeyPatch, now: datetime) -> None:
    """Sweep as if the server had been up until now, so that nothing is credited."""
    Heartbeat.objects.update(at=now)
    sweep_after_silence(monkeypatch, now)


def sweep_after_silence(monkeypatch: pytest.MonkeyPatch, now: datetime) -> None:
    """Sweep with the server silent since the last sweep, so that a long gap is credited."""
    monkeypatch.setattr(clock, "now", lambda: now)
    sweeps.act_on_deadlines()
