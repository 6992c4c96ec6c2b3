"""Tables of a filled database are divided while people play (`tests/load/partitions.py` has a larger one)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.services.daemons import find_postgres
from tests.services.site import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.skipif(find_postgres("postgres") is None, reason="needs Debian's postgresql")
def test_filled_tables_are_divided_during_play_and_nothing_is_lost_or_waits_for_long() -> None:
    command = [sys.executable, "-m", "tests.load", "partitions", "--rows", "20000", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert "everything is as it should be" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout
