"""The accidents: each strikes, lets some time pass, and repairs only what an operator would."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import psycopg

from tests.faults.relay import Mood, Relay
from tests.faults.store import MailStore
from tests.faults.supervisor import Supervisor, children_of
from tests.faults.verdicts import Window, sweeps
from tests.services.daemons import Postgres, Redis
from tests.services.log import say
from tests.services.processes import Failed
from tests.services.site import Site

SHORT, MINUTE = 10, 60
"""Seconds that an accident lasts."""
KILLS = 3
SILENCES = 6
HOUR = timedelta(hours=1)
LONGEST_GAP = timedelta(minutes=1)
"""Between two sweeps: shorter than what counts as downtime."""


@dataclass
class Scene:
    """Everything that can break."""

    site: Site
    postgres: Postgres
    redis: Redis
    relay: Relay
    store: MailStore
    supervisor: Supervisor
    chance: random.Random
    deaths: list[Window] = field(default_factory=list)
    """Periods in which accepted mail could not be recorded."""

    def kill(self, name: str) -> None:
        """SIGKILL to all processes of this name at once, to the first alone, or to one of its children."""
        process = self.site.processes[name]
        first = self.supervisor.wait_for(process)
        children = children_of(process)
        whom = self.chance.choice(["all", "first", *(["child"] if children else [])])
        pid = {"all": None, "first": first, "child": self.chance.choice(children or [0])}[whom]
        say(f"SIGKILL to {name}: {whom}")
        began = time.monotonic()
        self.supervisor.kill(process, pid=pid, is_child=whom == "child")
        if name == "worker":
            self.deaths.append((began, began + 1))


def kill_web(scene: Scene) -> None:
    _kill(scene, "web")


def kill_worker(scene: Scene) -> None:
    _kill(scene, "worker")


def kill_beat(scene: Scene) -> None:
    _kill(scene, "beat")


def kill_mail(scene: Scene) -> None:
    _kill(scene, "mail")


def _kill(scene: Scene, name: str) -> None:
    for _ in range(KILLS):
        time.sleep(scene.chance.uniform(0.5, 4))
        scene.kill(name)


def kill_anything(scene: Scene) -> None:
    for _ in range(2 * KILLS):
        time.sleep(scene.chance.uniform(0.2, 2))
        scene.kill(scene.chance.choice(sorted(scene.site.processes)))


def restart_redis(scene: Scene) -> None:
    scene.redis.stop()
    scene.redis.start()


def stop_redis(scene: Scene) -> None:
    scene.redis.stop()
    time.sleep(MINUTE)
    scene.redis.start()


def hang_redis(scene: Scene) -> None:
    """The kernel still accepts connections, and nobody answers."""
    os.kill(scene.redis.process.pid, signal.SIGSTOP)
    try:
        time.sleep(2 * SHORT)
    finally:
        os.kill(scene.redis.process.pid, signal.SIGCONT)


def silence_redis(scene: Scene) -> None:
    """Again and again, for longer than a worker waits for an answer, while everybody plays."""
    for _ in range(SILENCES):
        os.kill(scene.redis.process.pid, signal.SIGSTOP)
        try:
            time.sleep(scene.chance.uniform(6, 12))
        finally:
            os.kill(scene.redis.process.pid, signal.SIGCONT)
        time.sleep(scene.chance.uniform(1, 5))


def hold_a_match(scene: Scene) -> None:
    """A transaction does not end: this match waits, while all others and the web servers' probe do not."""
    with psycopg.connect(scene.postgres.dsn()) as connection:
        connection.execute(
            "SELECT 1 FROM matches_match WHERE status = 'running' ORDER BY id LIMIT 1 FOR UPDATE"
        )
        until = time.monotonic() + 2 * SHORT
        while time.monotonic() < until:
            page = scene.site.browser().get("/healthz")
            if page.status != 200:
                raise Failed(f"/healthz says {page.status} while a match is held")
            time.sleep(1)


def widen_a_column(scene: Scene) -> None:
    """Change a column as a migration does while the old processes run on."""
    with psycopg.connect(scene.postgres.dsn(), autocommit=True) as connection:
        connection.execute("SET lock_timeout = '20s'")
        for table, column in (("matches_match", "code"), ("accounts_user", "language")):
            connection.execute(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE text")  # type: ignore[arg-type]


def restart_postgres(scene: Scene) -> None:
    began = time.monotonic()
    scene.postgres.stop()
    scene.postgres.go_on()
    scene.deaths.append((began, time.monotonic()))


def crash_postgres(scene: Scene) -> None:
    """All its processes are killed; it recovers from its log."""
    began = time.monotonic()
    scene.postgres.process.kill()
    time.sleep(2)
    scene.postgres.go_on()
    scene.deaths.append((began, time.monotonic()))


def refuse_mail(scene: Scene) -> None:
    _upset(scene, Mood.REFUSING, 2 * SHORT)


def slow_mail(scene: Scene) -> None:
    _upset(scene, Mood.SLOW, 2 * SHORT)


def hang_mail(scene: Scene) -> None:
    """Every mail takes as long as the timeout, and mails pile up; the clocks are still looked after."""
    scene.relay.mood = Mood.HANGING
    until = time.monotonic() + MINUTE + 2 * SHORT
    try:
        while time.monotonic() < until:
            time.sleep(1)
            if not sweeps(LONGEST_GAP):
                raise Failed(f"no sweep for {LONGEST_GAP.total_seconds():.0f} s while the relay hangs")
    finally:
        scene.relay.mood = Mood.WELL


def drop_mail(scene: Scene) -> None:
    _upset(scene, Mood.DROPPING, SHORT)


def _upset(scene: Scene, mood: Mood, seconds: float) -> None:
    scene.relay.mood = mood
    time.sleep(seconds)
    scene.relay.mood = Mood.WELL


def fill_the_disk(scene: Scene) -> None:
    scene.store.fill()
    time.sleep(SHORT)
    scene.store.empty()


def beat_twice(scene: Scene) -> None:
    second = scene.site.second_beat()
    second.start()
    try:
        time.sleep(2 * SHORT)
        second.require_running()
    finally:
        second.stop()


def put_the_clock_ahead(scene: Scene) -> None:
    scene.site.clock.move(HOUR)
    time.sleep(SHORT)


def put_the_clock_back(scene: Scene) -> None:
    """As when a machine starts with a wrong clock: the worker dies with the claims that it made by that clock."""
    scene.supervisor.kill(scene.site.processes["worker"])
    scene.deaths.append((time.monotonic(), time.monotonic() + 1))
    scene.site.clock.move(-HOUR)
    time.sleep(SHORT)


def break_everything(scene: Scene) -> None:
    """Several at once."""
    scene.relay.mood = Mood.SLOW
    redis = threading.Thread(target=restart_redis, args=(scene,))
    redis.start()
    scene.kill("worker")
    scene.kill("web")
    restart_postgres(scene)
    scene.kill("mail")
    redis.join()
    scene.relay.mood = Mood.WELL


Accident = Callable[[Scene], None]
ACCIDENTS: dict[str, Accident] = {
    "web killed": kill_web,
    "worker killed": kill_worker,
    "beat killed": kill_beat,
    "mail killed": kill_mail,
    "anything killed": kill_anything,
    "Redis restarted": restart_redis,
    "Redis stopped for a minute": stop_redis,
    "Redis hung": hang_redis,
    "Redis silent again and again": silence_redis,
    "a match held": hold_a_match,
    "columns widened": widen_a_column,
    "PostgreSQL restarted": restart_postgres,
    "PostgreSQL killed": crash_postgres,
    "SMTP relay refuses": refuse_mail,
    "SMTP relay slow": slow_mail,
    "SMTP relay hangs": hang_mail,
    "SMTP relay drops the connection after DATA": drop_mail,
    "disk of the mail store full": fill_the_disk,
    "two beats": beat_twice,
    "clock an hour ahead": put_the_clock_ahead,
    "clock an hour back": put_the_clock_back,
    "several at once": break_everything,
}
