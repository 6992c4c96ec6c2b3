"""The rules and the dashboard of `deploy/`, asked of a real Prometheus, which reads a real server that is broken."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from tests.operating.watched import ALERTS, PANELS, selectors
from tests.services.conftest import MISSING
from tests.services.daemons import Postgres, Redis
from tests.services.processes import Process, wait_for
from tests.services.prometheus import Prometheus
from tests.services.sink import Sink
from tests.services.site import Site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(MISSING) or not shutil.which("prometheus"),
        reason=f"needs Debian's {' and '.join([*MISSING, 'prometheus'])}",
    ),
]

TOKEN = "7c1f0d5a9be24e6385d0c2f4a6b8e913"
PASSWORD = "correct horse battery staple"
PATIENCE = 90
MINUTE = timedelta(minutes=1)
SILENT_WHILE_ALL_IS_WELL = {'ALERTS{alertname=~"Gemserver.*", alertstate="firing"}'}


@dataclass(frozen=True)
class Watched:
    """A site that people and a bot play on, and the Prometheus that watches it."""

    site: Site
    postgres: Postgres
    redis: Redis
    sink: Sink
    prometheus: Prometheus

    def wait_until_all_is_well(self) -> None:
        self.wait("silence", set())

    def wait(self, what: str, alerts: set[str]) -> None:
        """Wait until these alerts fire and no other."""
        try:
            wait_for(what, lambda: self.prometheus.firing() == alerts, seconds=PATIENCE)
        finally:
            print(f"{what}: {', '.join(sorted(self.prometheus.firing())) or 'nothing fires'}")

    @contextmanager
    def without(self, part: Process | Redis | Sink) -> Iterator[None]:
        """This part is stopped meanwhile, after nothing fired; nothing does once it is back."""
        self.wait_until_all_is_well()
        part.stop()
        try:
            yield
        finally:
            part.start()
        self.wait_until_all_is_well()

    def sit_down(self, *names: str) -> None:
        """Seat these people and a bot at a new table."""
        self.site.python("-m", "tests.services.table", *names, PASSWORD)

    def let_pass(self, time: timedelta) -> None:
        """Put the clock ahead by less than what would be taken for downtime at a time, sweeping all the while."""
        step = 3 * MINUTE
        for _ in range(time // step):
            self.site.clock.move(step)
            wait_for("a sweep", self._has_swept, seconds=PATIENCE, watched=self.site.watched)

    def _has_swept(self) -> bool:
        [(at,)] = self.postgres.rows("SELECT at FROM matches_heartbeat WHERE duty = 'sweep'")
        return self.site.clock.now() - at < MINUTE


@pytest.fixture(scope="module")
def watched(migrated_data: Path) -> Iterator[Watched]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gem-watched-")))
        folder.chmod(0o755)  # the daemons run as another user
        postgres, redis, sink = Postgres(folder), Redis(folder), Sink()
        stack.callback(postgres.process.kill)
        stack.callback(redis.process.kill)
        stack.callback(sink.stop)
        postgres.start_with(migrated_data)
        redis.start()
        sink.start()
        site = Site(folder, postgres, redis, sink, METRICS_TOKEN=TOKEN, OPERATORS="ops@players.test")
        stack.callback(site.stop)
        site.manage("collectstatic", "--noinput", "--verbosity", "0")
        site.start()
        prometheus = Prometheus(folder, site.port, TOKEN)
        stack.callback(prometheus.process.kill)
        prometheus.start()
        found = Watched(site, postgres, redis, sink, prometheus)
        found.sit_down("wendy", "mallory")
        wait_for("the first mails", lambda: sink.letters, seconds=PATIENCE)
        yield found


def test_every_query_is_understood_and_finds_what_it_is_about(watched: Watched) -> None:
    watched.wait_until_all_is_well()
    watched.postgres.rows("INSERT INTO matches_heartbeat (duty, at) VALUES ('backup', now()) RETURNING duty")
    queries = {query for panel in PANELS for query in panel.queries} - SILENT_WHILE_ALL_IS_WELL
    queries |= {selector for alert in ALERTS for selector in selectors(alert.expression)}
    wait_for(
        "figures in all queries",
        lambda: all(watched.prometheus.ask(query) for query in queries),
        seconds=PATIENCE,
    )
    assert len(queries) > 30
    said = {alert.name: watched.prometheus.ask(alert.expression) for alert in ALERTS}
    assert {name: samples for name, samples in said.items() if samples} == {}
    for query in SILENT_WHILE_ALL_IS_WELL:
        assert not watched.prometheus.ask(query)


def test_a_scheduler_that_stops_is_noticed(watched: Watched) -> None:
    with watched.without(watched.site.processes["beat"]):
        watched.site.clock.move(2 * MINUTE)
        watched.wait("without beat for two minutes", {"GemserverNoBeat"})
        watched.site.clock.move(4 * MINUTE)
        watched.wait("for six", {"GemserverNoBeat", "GemserverSchedulerStandsStill"})


def test_a_worker_that_stops_is_noticed(watched: Watched) -> None:
    with watched.without(watched.site.processes["worker"]):
        watched.site.clock.move(2 * MINUTE)
        watched.wait("without a worker for two minutes", {"GemserverNoWorker"})
        watched.site.clock.move(4 * MINUTE)
        watched.wait("for six", {"GemserverNoWorker", "GemserverSchedulerStandsStill"})


def test_a_broker_that_stops_is_noticed(watched: Watched) -> None:
    with watched.without(watched.redis):
        watched.wait("without Redis", {"GemserverBrokerDown"})


def test_a_web_that_stops_is_noticed(watched: Watched) -> None:
    with watched.without(watched.site.processes["web"]):
        watched.wait("without the web", {"GemserverDown"})


def test_a_match_whose_rules_have_failed_is_noticed(watched: Watched) -> None:
    watched.wait_until_all_is_well()
    stop = "INSERT INTO matches_stop (match_id, reason, start, is_told, told_up_to)"
    watched.postgres.rows(f"{stop} SELECT id, 'game', now(), true, 0 FROM matches_match RETURNING id")
    watched.wait("a game that has failed", {"GemserverGameFailed"})
    watched.postgres.rows("DELETE FROM matches_stop WHERE reason = 'game' RETURNING id")
    watched.wait_until_all_is_well()


def test_a_relay_that_is_away_is_noticed_before_and_after_the_clocks_stop(watched: Watched) -> None:
    alerts = {"GemserverMailStandsStill", "GemserverOperatorsNotTold"}
    with watched.without(watched.sink):
        watched.sit_down("nora", "omar")
        watched.let_pass(24 * MINUTE)
        watched.wait("without a relay for twenty minutes", alerts)
        watched.let_pass(48 * MINUTE)
        watched.wait("for more than an hour", {*alerts, "GemserverClocksStandStill"})
        watched.site.clock.move(60 * MINUTE)  # every mail is tried again within the hour
