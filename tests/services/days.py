"""Days that pass in seconds on real PostgreSQL: concurrent sweeps, killed again and again; a long time without any.

Nothing is acted on twice, nothing is lost, and the time without sweeps counts on nobody's clock.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.services.daemons import Postgres
from tests.services.log import say
from tests.services.processes import Failed, Process, wait_for

ROOT = Path(__file__).resolve().parent.parent.parent
DATABASE = "gem_days"
MATCHES = 40
PLAYED = 10
SWEEPERS = 3
KILLS = 4
PATIENCE = 60
MINUTE, HOUR, DAY = 60, 3600, 86400


def days_of_sweeps(postgres: Postgres, folder: Path) -> None:
    """Run everything. Raises Failed."""
    postgres.create(DATABASE)
    Days(postgres, folder).run()


class Days:
    """Two days of forty matches; `offset` is how far the clock of all processes is ahead."""

    def __init__(self, postgres: Postgres, folder: Path) -> None:
        self._postgres = postgres
        self._folder = folder
        self._chance = random.Random(11)
        self._storms = 0

    def run(self) -> None:
        self._python(0, "manage.py", "migrate", "--verbosity", "0")
        self._do(0, "deal", str(MATCHES))

        half = DAY // 2 + MINUTE
        self._do(half, "up")
        self._storm(half, lambda: self._seats("remind_at", half) == 0)
        self._expect("reminders", "notify_outboxmessage", "kind = 'reminder'", MATCHES)

        over = DAY + MINUTE
        self._do(over, "up")
        self._storm(over, lambda: self._seats("due_at", over) == 0)
        self._expect("moves of the clock", "matches_move", "source = 'clock'", MATCHES)
        self._expect("mails that time ran out", "notify_outboxmessage", "kind = 'timeout'", MATCHES)

        # Without Redis no sweep is started; players on the web can still move.
        self._do(over + HOUR // 2, "play", str(PLAYED))
        self._go_without_sweeps(over + HOUR, stops=1)
        say(f"{PLAYED} players moved in an hour without sweeps, which is credited to all once")

        # The workers stand still for a day: by the machine's clock all time is up.
        self._go_without_sweeps(over + HOUR + DAY, stops=2)
        self._expect("moves of the clock", "matches_move", "source = 'clock'", MATCHES)
        say("after a day without workers nobody's time was up, and every match says why")

        end = over + HOUR + 3 * DAY
        self._do(end, "up")
        self._storm(end, lambda: self._seats("due_at", end) == 0)
        self._expect("moves of the clock", "matches_move", "source = 'clock'", 2 * MATCHES)
        self._expect("mails that time ran out", "notify_outboxmessage", "kind = 'timeout'", 2 * MATCHES)

    def _go_without_sweeps(self, offset: int, *, stops: int) -> None:
        """Nothing has swept until this moment; the first sweeps come three at once, and are killed."""
        self._storm(
            offset, lambda: self._has_stops(stops) and self._count("matches_stop", "NOT is_told") == 0
        )
        self._expect("credits", "matches_stop", "true", stops)
        self._expect("lines in the logs", "matches_notice", "kind = 'downtime'", stops * MATCHES)

    def _has_stops(self, number: int) -> bool:
        return self._count("matches_stop", "true") >= number

    def _storm(self, offset: int, is_done: Callable[[], bool]) -> None:
        """Sweep concurrently, killing and restarting each sweep at any line, until there is nothing left to do."""
        self._storms += 1
        sweepers = [
            Process(
                f"sweeper-{self._storms}-{number}",
                [sys.executable, "-m", "tests.services.sweeper", "sweep"],
                self._folder,
                environment=self._environment(offset),
                cwd=ROOT,
            )
            for number in range(SWEEPERS)
        ]
        try:
            for sweeper in sweepers:
                sweeper.start()
            for _ in range(KILLS):
                time.sleep(self._chance.uniform(0.2, 0.8))
                unlucky = self._chance.choice(sweepers)
                unlucky.kill()
                unlucky.start()
            wait_for("the sweeps to be done", is_done, seconds=PATIENCE, watched=sweepers)
        finally:
            for sweeper in sweepers:
                sweeper.kill()

    def _seats(self, column: str, offset: int) -> int:
        return self._count("matches_seat", f"is_waiting AND {column} <= now() + interval '{offset} seconds'")

    def _count(self, table: str, condition: str) -> int:
        return self._postgres.count(table, condition, DATABASE)

    def _expect(self, what: str, table: str, condition: str, number: int) -> None:
        found = self._count(table, condition)
        if found != number:
            raise Failed(f"{what}: expected {number}, found {found}")
        say(f"{what}: {found}, as it should be")

    def _do(self, offset: int, *arguments: str) -> None:
        self._python(offset, "-m", "tests.services.sweeper", *arguments)

    def _python(self, offset: int, *arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self._environment(offset),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Failed(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")

    def _environment(self, offset: int) -> Mapping[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "DJANGO_SETTINGS_MODULE": "gemserver.settings",
            "GEMSERVER_MODE": "test",
            "GEMSERVER_VAR": str(self._folder / "var"),
            "DATABASE_URL": self._postgres.url_of(DATABASE),
            "CLOCK_OFFSET": str(offset),
            "LOG_LEVEL": "ERROR",
        }
