"""Evidence of a failed run, for readers of the end of its output: the stacks of all processes, and waiting rows."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from redis import RedisError, StrictRedis

from tests.services.daemons import Postgres, Redis
from tests.services.processes import Failed, Process
from tests.services.site import Site

WRITING = 1
"""Seconds in which a process has written the stacks of its threads (`tests.services.settings`)."""
QUESTIONS = {
    "what the database does": "SELECT pid, state, wait_event_type, wait_event, now() - state_change,"
    " left(query, 200) FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid()",
    "mails that go": "SELECT kind, state, count(*), max(available_at), max(attempts)"
    " FROM notify_outboxmessage GROUP BY kind, state",
    "mails that came": "SELECT state, code, count(*), max(received_at), max(claimed_until), max(attempts)"
    " FROM inbox_inboundemail GROUP BY state, code",
    "seats that wait": "SELECT match_id, index, bot, prompt_ply, prompted_at FROM matches_seat WHERE is_waiting",
}
QUEUES = ("celery", "deadlines", "bots", "thinking", "read", "send", "channels", "ratings", "events")


@dataclass
class Evidence:
    """Filled in during the run, shown if it fails."""

    watched: list[Process] = field(default_factory=list)
    site: Site | None = None
    """Set once it runs, on these services."""
    postgres: Postgres | None = None
    redis: Redis | None = None

    def show(self) -> None:
        """Print the state to stderr, the most telling last."""
        for process in self.watched:
            _show(f"the end of {process.log.name}", process.tail(20))
        if self.site and self.redis and self.postgres:
            for name in ("worker", "beat", "mail"):  # gunicorn uses the signal for something else
                _show(f"stacks of {name}", _stacks(self.site.processes[name]))
            _show("messages in Redis", _messages(self.redis))
            for what, query in QUESTIONS.items():
                _show(what, _rows(self.postgres, query))
            _show("the server's clock", self.site.clock.now().isoformat())


def _show(what: str, text: str) -> None:
    print(f"\n--- {what} ---\n{text}", file=sys.stderr)


def _messages(redis: Redis) -> str:
    try:
        with StrictRedis.from_url(redis.url, socket_timeout=5) as client:
            waiting = {queue: client.llen(queue) for queue in QUEUES}
            return f"{waiting}, delivered and not acknowledged: {client.hvals('unacked')}"
    except RedisError as error:
        return repr(error)


def _rows(postgres: Postgres, query: str) -> str:
    try:
        return "\n".join(", ".join(map(str, row)) for row in postgres.rows(query))
    except psycopg.Error as error:
        return repr(error)


def _stacks(process: Process) -> str:
    """Stacks of the process, then of each of its children, most recent calls first; or why there are none."""
    if process.status is not None:
        return f"ended with {process.status}"
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        known = len(process.output)
        for pid in (process.pid, *map(int, children.split())):
            os.kill(pid, signal.SIGUSR2)
            time.sleep(WRITING)
        return process.output[known:]
    except (Failed, OSError) as error:
        return str(error)
