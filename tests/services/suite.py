"""Runs pytest on a PostgreSQL of its own: `python -m tests.services.suite [arguments of pytest]`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.services.daemons import Postgres, require_programs

WITHOUT = ("tests/games", "tests/browser")
"""The first need no database; the second are slow, and ask it nothing that the others do not."""


def main() -> None:
    """Exit with the status of pytest."""
    require_programs()
    with tempfile.TemporaryDirectory(prefix="gem-suite-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the daemon runs as another user
        postgres = Postgres(folder, is_durable=False)
        try:
            postgres.start()
            sys.exit(run(postgres.url, sys.argv[1:]))
        finally:
            postgres.stop()


def run(database: str, arguments: list[str]) -> int:
    """Run the suite, or the parts that the arguments name, on this database."""
    left_out = [f"--ignore={path}" for path in WITHOUT]
    command = [sys.executable, "-m", "pytest", "-n", "auto", *left_out, *arguments]
    return subprocess.run(command, env=os.environ | {"DATABASE_URL": database}, check=False).returncode


if __name__ == "__main__":
    main()
