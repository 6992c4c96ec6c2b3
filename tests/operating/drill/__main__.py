"""`python -m tests.operating.drill`: installs, plays, breaks, restores and upgrades a server, and times each step.

As root on Debian, with debootstrap, npm and the machine's package registries; everything else is in roots of its own,
made in a temporary folder. Once all is installed, it has no network but a loopback interface.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.operating.drill.course import Course
from tests.services.processes import Failed

PROGRAMS = {
    "debootstrap": "debootstrap",
    "git": "git",
    "ip": "iproute2",
    "nsenter": "util-linux",
    "npm": "npm",
}
"""With the packages of Debian that have them."""


def main() -> None:
    options = _read()
    if os.geteuid() != 0:
        sys.exit("Only root can make machines of its own: sudo make drill")
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        sys.exit(f"The drill needs {' and '.join(missing)}: apt-get install {' '.join(PROGRAMS.values())}")
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gem-drill-")))
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        course = Course(folder, seed=options.seed, matches=options.matches)
        stack.callback(course.end)
        try:
            course.run()
        except Exception as failure:
            print(course.tell_troubles(), file=sys.stderr)
            if not isinstance(failure, Failed):
                raise
            sys.exit(f"\nFAILED: {failure}")
    print(f"\n--- what was done, seed {options.seed} ---\n{course.report}\neverything is as it should be")


def _read() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.operating.drill", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--matches", type=int, default=100, help="of bots, by the API")
    parser.add_argument("--folder", type=Path, help="keep the roots here; a Debian that lies here is taken")
    return parser.parse_args()


if __name__ == "__main__":
    main()
