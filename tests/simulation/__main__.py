"""`python -m tests.simulation`: plays a month of 200 matches, or three seasons of leagues, and prints the results.

The status is 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("month", "seasons"), default="month")
    parser.add_argument("--days", type=int, help="how many (default: 32)")
    parser.add_argument("--matches", type=int, help="how many (default: 200)")
    parser.add_argument("--players", type=int, help="how many (default: 300)")
    parser.add_argument("--seed", type=int, help="another one, another month (default: 1)")
    parser.add_argument("--receipts", help="which mails are answered: all, refusals (default), none")
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    what = given.pop("what")
    with tempfile.TemporaryDirectory(prefix="gem-month-") as folder:
        _set_up(Path(folder))
        from tests.simulation.report import report
        from tests.simulation.world import MONTH, SEASONS, World

        world = World(replace(SEASONS if what == "seasons" else MONTH, **given))
        began = time.perf_counter()
        world.run(say=lambda text: print(f"{time.perf_counter() - began:7.1f} s  {text}", flush=True))
        print(*report(world), sep="\n")
    return 1 if world.problems else 0


def _set_up(folder: Path) -> None:
    """Set Django up on an empty database in memory."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "GEMSERVER_MODE": "test",
        "GEMSERVER_VAR": str(folder),
        "DATABASE_URL": "sqlite:///:memory:",
        "LOG_LEVEL": "CRITICAL",
    }
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


if __name__ == "__main__":
    sys.exit(main())
