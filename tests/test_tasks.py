"""Schedules and nudges name tasks that exist."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

from gemserver.celery import app

ROOT = Path(settings.BASE_DIR) / "gemserver"


def test_every_scheduled_and_nudged_task_exists() -> None:
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    nudged = {
        name
        for file in ROOT.rglob("*.py")
        for name in re.findall(r'nudge\(\s*"([^"]+)"', file.read_text(encoding="utf-8"))
    }
    assert len(nudged) >= 3
    assert scheduled | nudged <= set(app.tasks)
