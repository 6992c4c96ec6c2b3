"""The clock that tests move under running processes, and that no real server can have."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.services.clock import SETTINGS, Clock

ROOT = Path(__file__).resolve().parent.parent.parent
PRODUCTION = {
    "PATH": os.environ["PATH"],
    "GEMSERVER_MODE": "production",
    "SECRET_KEY": "a-key",
    "MAIL_DOMAIN": "gem.test",
}
ASK_TWICE = """
import sys, django; django.setup()
from gemserver.lib import clock
print(clock.now().isoformat(), flush=True)
sys.stdin.readline()
print(clock.now().isoformat(), flush=True)
"""


@pytest.mark.slow
def test_a_running_process_goes_by_the_clock_that_is_moved(tmp_path: Path) -> None:
    clock = Clock(tmp_path)
    clock.move(timedelta(hours=1))
    with subprocess.Popen(
        [sys.executable, "-c", ASK_TWICE],
        cwd=ROOT,
        env=PRODUCTION | clock.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        first = datetime.fromisoformat(process.stdout.readline().strip())
        clock.move(-timedelta(days=2))
        process.stdin.write("\n")
        process.stdin.flush()
        second = datetime.fromisoformat(process.stdout.readline().strip())
    real = datetime.now(UTC)
    assert abs(first - real - timedelta(hours=1)) < timedelta(minutes=1)
    assert abs(second - clock.now()) < timedelta(minutes=1)
    assert abs(second - real + timedelta(hours=47)) < timedelta(minutes=1)


def test_no_server_with_a_real_domain_has_such_a_clock(tmp_path: Path) -> None:
    environment = PRODUCTION | Clock(tmp_path).environment | {"MAIL_DOMAIN": "gem.example.org"}
    done = subprocess.run(
        [sys.executable, "-c", "import django; django.setup()"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert f"{SETTINGS} are for tests" in done.stderr


@pytest.mark.slow
def test_production_does_not_look_at_the_file(tmp_path: Path) -> None:
    clock = Clock(tmp_path)
    clock.move(timedelta(days=1))
    environment = PRODUCTION | clock.environment | {"DJANGO_SETTINGS_MODULE": "gemserver.settings"}
    done = subprocess.run(
        [sys.executable, "-c", ASK_TWICE],
        cwd=ROOT,
        env=environment,
        input="\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    told = datetime.fromisoformat(done.stdout.split()[0])
    assert abs(told - datetime.now(UTC)) < timedelta(minutes=1)
