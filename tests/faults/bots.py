"""Programs play by the API, behind nginx, while the processes that serve and keep them are killed again and again."""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING

from tests.faults.supervisor import Supervisor, children_of
from tests.services.front import Nginx
from tests.services.log import say
from tests.services.processes import Process
from tests.services.site import ROOT

if TYPE_CHECKING:
    from tests.faults.__main__ import Ground

SELDOM, OFTEN = 20.0, 5.0
"""Seconds between two kills at the most and at the least."""
LOOK_EVERY = 0.2


def play(ground: Ground, seed: int, matches: int) -> list[str]:
    """Let bots play this many matches (`tests.services.bots`); return what was found."""
    chance, site = random.Random(seed), ground.site
    site.environment["API_RATE"] = "1000000"  # they are in a hurry
    serving = [site.processes["web"], site.processes["waiting"]]
    supervisor, nginx = Supervisor(serving), Nginx(ground.folder, site)
    url = f"https://127.0.0.1:{nginx.port}"
    command = [sys.executable, "-m", "tests.services.bots", url, str(matches), str(seed)]
    trust = {"SSL_CERT_FILE": str(nginx.certificate)}
    programs = Process("bots", command, ground.folder, environment=site.environment | trust, cwd=ROOT)
    site.start()
    nginx.start()
    supervisor.start()
    programs.start()
    kills, told = 0, ""
    try:
        while programs.status is None:
            until = time.monotonic() + chance.uniform(OFTEN, SELDOM)
            while programs.status is None and time.monotonic() < until:
                time.sleep(LOOK_EVERY)
            told = _pass_on(programs, told)
            if programs.status is None:
                _kill(supervisor, chance.choice(serving), chance)
                kills += 1
        say(f"processes were killed {kills} times meanwhile")
        found = [] if programs.status == 0 else [f"bots: {programs.tail(25)}"]
        return [*found, *supervisor.take_troubles()]
    finally:
        supervisor.stop()
        programs.kill()
        nginx.stop()
        site.stop()


def _kill(supervisor: Supervisor, serving: Process, chance: random.Random) -> None:
    """SIGKILL all processes of its group, the first alone, or one of those that answer."""
    first = supervisor.wait_for(serving)
    children = children_of(serving)
    whom = chance.choice([None, first, *children])
    supervisor.kill(serving, pid=whom, is_child=whom in children)


def _pass_on(programs: Process, told: str) -> str:
    """Show what the bots have said since; return all that was shown."""
    output = programs.output
    print(output[len(told) :], end="", flush=True)
    return output
