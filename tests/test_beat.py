"""Beat goes on at its pace, however the machine's clock is set."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from celery import Celery

from gemserver.beat import Scheduler
from tests.builders import NOON
from tests.own_process import PRODUCTION, print_of

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


class Told(Scheduler):
    """Notes what would be sent."""

    def apply_entry(self, entry: object, producer: object = None) -> None:
        sent.append(self.app.now())


sent: list[datetime] = []


@pytest.mark.parametrize("jump", [-24 * HOUR, -HOUR, timedelta(0), HOUR, 24 * HOUR])
def test_a_clock_that_jumps_holds_no_task_up(monkeypatch: pytest.MonkeyPatch, jump: timedelta) -> None:
    app = Celery("clocks", broker="memory://")
    app.conf.beat_schedule = {"sweep": {"task": "sweep", "schedule": 10.0}}
    at = NOON
    monkeypatch.setattr(app, "now", lambda: at)
    scheduler = Told(app=app)
    for second in range(60):
        at = NOON + second * SECOND + (jump if second >= 30 else timedelta(0))
        if second == 30:
            sent.clear()
        scheduler.tick()
    assert len(sent) in {3, 4}, "thirty seconds, one each ten; one more after a jump ahead"


def test_beat_loads_neither_applications_nor_tasks() -> None:
    loaded = print_of(
        "import sys; from gemserver.beat import app; app.loader.init_worker(); app.finalize();"
        "print(*[name for name in sys.modules if name.startswith(('gemserver.matches', 'games', 'allauth'))])",
        PRODUCTION,
    )
    assert loaded.strip() == ""
