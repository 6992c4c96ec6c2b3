"""The server under test: the processes of the Procfile, with a production environment on loopback ports.

Its clock can be moved while they run.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.services.browser import Browser
from tests.services.clock import Clock
from tests.services.daemons import Postgres, Redis
from tests.services.log import say
from tests.services.processes import Failed, Process, answers, free_port, wait_for
from tests.services.sink import Sink

ROOT = Path(__file__).resolve().parent.parent.parent
HOST = "play.gem.test"
PATIENCE = 60


class Site:
    """Web, worker, beat, mail and waiting, each in a process of its own; `variables` are added to its environment."""

    def __init__(self, folder: Path, postgres: Postgres, redis: Redis, sink: Sink, **variables: str) -> None:
        self.folder = folder
        self._postgres = postgres
        self.port = free_port()
        self.smtp_port = free_port()
        self.waiting_port = free_port()
        self.clock = Clock(folder)
        self.environment = {
            **_environment(folder, self.port, self.smtp_port, postgres, redis, sink),
            **self.clock.environment,
            "WAITING_PORT": str(self.waiting_port),
            **variables,
        }
        self.processes = {name: self._process(name, command) for name, command in _procfile().items()}

    def _process(self, name: str, command: str) -> Process:
        return Process(
            name, ["sh", "-c", f"exec {command}"], self.folder, environment=self.environment, cwd=ROOT
        )

    def migrate(self) -> None:
        """Migrate as docs/operating.md says: the owner makes the tables and grants the server's role its rights."""
        self._run("manage.py", "migrate", "--verbosity", "0", DATABASE_URL=self._postgres.url)
        self._postgres.grant()

    def manage(self, *arguments: str) -> str:
        """Run `manage.py` in the site's environment; return its output. Raises Failed."""
        return self._run("manage.py", *arguments)

    def python(self, *arguments: str) -> str:
        """Run Python in the site's environment; return its output. Raises Failed."""
        return self._run(*arguments)

    def _run(self, *arguments: str, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Failed(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def start(self) -> None:
        for process in self.processes.values():
            process.start()
        wait_for("the web server", lambda: answers(self.port), seconds=PATIENCE, watched=self.watched)
        wait_for("the mail server", lambda: answers(self.smtp_port), seconds=PATIENCE, watched=self.watched)
        wait_for("who waits", lambda: answers(self.waiting_port), seconds=PATIENCE, watched=self.watched)
        self.wait_for_worker()
        page = self.browser().get("/readyz")
        if page.status != 200:
            raise Failed(f"/readyz says {page.status}: {page.text}")
        say(f"web, worker, beat, mail and waiting run; web on {self.port}, SMTP on {self.smtp_port}")

    def stop(self) -> None:
        for process in reversed(self.processes.values()):
            process.stop()

    @property
    def watched(self) -> list[Process]:
        return list(self.processes.values())

    def browser(self) -> Browser:
        return Browser(self.port, HOST, https=True)

    def fill_queue(self, number: int) -> None:
        """Ask for this many more sweeps; beat's own messages expire by the machine's clock, these never."""
        sweep = "app.send_task('gemserver.matches.tasks.act_on_deadlines')"
        self.python("-c", f"from gemserver.celery import app\nfor _ in range({number}): {sweep}")

    def second_beat(self) -> Process:
        """Another scheduler, to be started beside the first, as by a deploy that went wrong."""
        return self._process("second-beat", _procfile()["beat"])

    def kill_worker(self) -> None:
        """SIGKILL the worker and its children, then start a new one; the old one's work must be found again."""
        worker = self.processes["worker"]
        worker.kill()
        say("the worker was killed with SIGKILL")
        worker.start()
        self.wait_for_worker()
        say("a new worker runs")

    def restart(self) -> None:
        """SIGTERM every process, as a deploy does, and start new ones in their places."""
        for name in ("web", "waiting", "mail", "worker", "thinker", "beat"):
            self.processes[name].stop()
            self.processes[name].start()
        wait_for("the web server", lambda: answers(self.port), seconds=PATIENCE)
        wait_for("the mail server", lambda: answers(self.smtp_port), seconds=PATIENCE)
        wait_for("who waits", lambda: answers(self.waiting_port), seconds=PATIENCE)
        self.wait_for_worker()
        say("all processes were restarted with SIGTERM")

    def wait_for_worker(self) -> None:
        worker = self.processes["worker"]
        wait_for("the worker", lambda: " ready." in worker.output, seconds=PATIENCE, watched=[worker])


def _procfile() -> dict[str, str]:
    lines = (ROOT / "Procfile").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line.strip())


def _environment(
    folder: Path, port: int, smtp_port: int, postgres: Postgres, redis: Redis, sink: Sink
) -> Mapping[str, str]:
    programs = Path(sys.executable).parent
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(folder),
        "SECRET_KEY": secrets.token_hex(32),
        "MAIL_KEY": secrets.token_hex(32),
        "ALLOWED_HOSTS": HOST,
        "SITE_URL": f"https://{HOST}",
        "DATABASE_URL": postgres.server_url,
        "REDIS_URL": redis.url,
        "MAIL_DOMAIN": "gem.test",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(sink.port),
        "SMTP_PORT": str(smtp_port),
        "PORT": str(port),
        "STATIC_ROOT": str(folder / "static"),
        # All players share one host here.
        "MAIL_RATE_CONNECTIONS": "0",
        "MAIL_CONNECTIONS_PER_HOST": "0",
        "SWEEP_SECONDS": "2",
        # Players look at each turn, and act on its mail at once.
        "AT_BOARD_SECONDS": "0",
        "EMAIL_TIMEOUT": "5",
        "CLAIM_SECONDS": "20",
        "WORKER_CONCURRENCY": "2",
    }
