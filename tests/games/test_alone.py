"""`.venv/bin/pytest tests/games` needs no Django and no options."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.slow
def test_the_tests_of_games_are_collected_without_django() -> None:
    code = (
        "import sys, pytest; status = pytest.main(['tests/games', '--collect-only', '-qq']);"
        "assert not [name for name in sys.modules if name.split('.')[0] in ('django', 'gemserver')];"
        "sys.exit(status)"
    )
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DJANGO_"))
    }
    # -P: like .venv/bin/pytest, without the project among the folders that Python imports from.
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
