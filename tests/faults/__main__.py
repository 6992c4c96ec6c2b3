"""`python -m tests.faults [--seed N] [--moves N] [--only PART …]`: causes accidents and checks the server after each.

Status 1 when anything was found that is not as it should be.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.faults.relay import Relay
from tests.services.daemons import Postgres, Redis, require_programs
from tests.services.log import say
from tests.services.processes import Failed
from tests.services.site import Site

MOVES, MATCHES, ATTACKS, BOT_MATCHES = 2000, 100, 10_000, 1000
ENDED = 128 + signal.SIGTERM
"""Status of a part that somebody has ended."""


@dataclass
class Ground:
    """The ground of all parts: services, and a migrated site that does not run yet."""

    folder: Path
    postgres: Postgres
    redis: Redis
    relay: Relay
    site: Site


PARTS = ("storm", "at-once", "siege", "fleet", "bots")


def main() -> int:
    options = _read_options()
    require_programs()
    if len(options.only) == 1:
        return _run_alone(options)
    statuses = []
    for part in options.only:  # each on its own ground, so that later counts cover this part alone
        statuses.append(_run_in_process_of_its_own(part))
        if statuses[-1] == ENDED:
            break
    return max(statuses)


def _run_in_process_of_its_own(part: str) -> int:
    """The status of the part; a SIGTERM to us goes to it, and no other part follows."""
    process = subprocess.Popen([sys.executable, "-m", "tests.faults", *sys.argv[1:], "--only", part])
    signal.signal(signal.SIGTERM, lambda number, frame: process.terminate())
    return process.wait()


def _run_alone(options: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(ENDED))
    with ExitStack() as stack:
        # mkdtemp keeps others out, and the daemons run as another user.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gem-faults-")))
        folder.chmod(0o755)
        ground = _prepare(folder, stack)
        if faults := _run(ground, options):
            _show_logs(ground.site)
            print("\nFOUND:\n" + "\n".join(f"* {fault}" for fault in faults), file=sys.stderr)
            return 1
    say("everything is as it should be")
    return 0


def _run(ground: Ground, options: argparse.Namespace) -> list[str]:
    """The faults that were found in the requested part."""
    from tests.faults import bots, fleet, siege, storm

    parts: dict[str, Callable[[], list[str]]] = {
        "storm": lambda: storm.weather(ground, options),
        "at-once": lambda: _at_once(ground.site),
        "siege": lambda: siege.lay(ground, options.seed, options.attacks),
        "fleet": lambda: fleet.sail(ground, options.seed),
        "bots": lambda: bots.play(ground, options.seed, options.matches),
    }
    (part,) = options.only
    options.matches = options.matches or (BOT_MATCHES if part == "bots" else MATCHES)
    say(f"--- {part} ---")
    try:
        return parts[part]()
    except Failed as failure:  # the run stops here
        return [str(failure)]


def _at_once(site: Site) -> list[str]:
    site.start()
    try:
        print(site.python("-m", "tests.faults.at_once", str(site.port), str(site.smtp_port)), end="")
    finally:
        site.stop()
    return []


def _prepare(folder: Path, stack: ExitStack) -> Ground:
    postgres, redis, relay = Postgres(folder), Redis(folder), Relay()
    for service in (postgres, redis, relay):
        stack.callback(service.stop)
        service.start()
    site = Site(folder, postgres, redis, relay)
    stack.callback(site.stop)
    site.migrate()
    site.manage("collectstatic", "--noinput", "--verbosity", "0")
    os.environ |= {**site.environment, "DATABASE_URL": postgres.url, "LOG_LEVEL": "ERROR"}
    import django

    django.setup()
    return Ground(folder, postgres, redis, relay, site)


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--moves", type=int, default=MOVES, help=f"of people; {MOVES} if not given")
    parser.add_argument(
        "--matches", type=int, help=f"of people, {MATCHES} if not given; of bots, {BOT_MATCHES} if not given"
    )
    parser.add_argument("--attacks", type=int, default=ATTACKS, help=f"of the siege; {ATTACKS} if not given")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS)
    )
    parser.add_argument("--accident", nargs="+", metavar="NAME", help="only these, in this order")
    return parser.parse_args()


def _show_logs(site: Site) -> None:
    for process in site.watched:
        print(f"\n--- the end of {process.log.name} ---\n{process.tail(12)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
