"""Hard bots think in a process of their own, so that no clock and no mail waits for one, whatever it thinks about."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.services.conftest import Services
from tests.services.test_deaf_workers import PATIENCE, wait_for, words, worker

pytestmark = pytest.mark.slow

THOUGHTS = 30
"""A minute of work, which no busy machine gets to the end of while it looks at the clocks."""


def test_a_worker_leaves_what_takes_thought_to_the_thinker(services: Services, tmp_path: Path) -> None:
    thoughts, looks = tmp_path / "thoughts", tmp_path / "looks"
    with worker(services):
        services.run(f"""
from gemserver.celery import app

for _ in range({THOUGHTS}):
    app.send_task("tests.services.naps.nap", [2, {str(thoughts)!r}], queue="thinking")
app.send_task("tests.services.naps.nap", [0, {str(looks)!r}], queue="deadlines")
""")
        wait_for("a look at the clocks", lambda: "ended" in words(looks), seconds=PATIENCE)
        time.sleep(2)
        assert words(thoughts) == []
        with worker(services, process="thinker", is_first=False):
            wait_for("a thought", lambda: "ended" in words(thoughts), seconds=PATIENCE)
            services.run(f"""
from gemserver.celery import app
app.send_task("tests.services.naps.nap", [0, {str(looks)!r}], queue="deadlines")
""")
            wait_for("another look", lambda: words(looks).count("ended") == 2, seconds=PATIENCE)
            # It was still thinking, about one thing at a time.
            assert words(thoughts).count("ended") < THOUGHTS
            assert words(thoughts)[:3] == ["began", "ended", "began"]
