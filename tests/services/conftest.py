"""Real services for tests of a single behaviour; skipped where they are not installed."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.services.daemons import Postgres, Redis, find_postgres
from tests.services.processes import free_port
from tests.services.site import ROOT

MISSING = [
    name
    for name, found in {
        "postgresql": find_postgres("postgres"),
        "redis-server": shutil.which("redis-server"),
    }.items()
    if not found
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of real services: they wait most of the time, and others can run beside them."""
    for item in items:
        if _needs_services(item):
            item.add_marker("slow")
    items.sort(key=lambda item: not _needs_services(item))


def _needs_services(item: pytest.Item) -> bool:
    return not {"services", "migrated", "watched"}.isdisjoint(getattr(item, "fixturenames", ()))


@dataclass(frozen=True)
class Services:
    """A migrated PostgreSQL, a Redis, and an environment of production in which processes find both."""

    folder: Path
    postgres: Postgres
    redis: Redis
    environment: Mapping[str, str]

    def manage(self, *arguments: str) -> str:
        """The output of `manage.py` in this environment. Fails the test if the command fails."""
        return self.python("manage.py", *arguments)

    def run(self, code: str) -> str:
        """The output of this code, with the server's applications loaded. Fails the test if the code fails."""
        return self.python("-c", f"import django\ndjango.setup()\n{code}")

    def python(self, *arguments: str) -> str:
        environment = {"DJANGO_SETTINGS_MODULE": "gemserver.settings", **self.environment}
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def held(self, query: str) -> Iterator[psycopg.Connection]:
        """A transaction that has run this query and does not end."""
        with psycopg.connect(self.postgres.dsn()) as connection:
            connection.execute(query)  # type: ignore[arg-type]
            yield connection


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    """Without tables."""
    with _running() as started:
        yield started


@pytest.fixture(scope="module")
def migrated(migrated_data: Path) -> Iterator[Services]:
    """With the tables of the server."""
    with _running(migrated_data) as started:
        yield started


@pytest.fixture(scope="session")
def migrated_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a PostgreSQL that has stopped, with the tables of the server, which take ten seconds to make.

    The processes of pytest share it.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    data = shared / "migrated"
    with (shared / "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not data.exists():
            with _running() as started:
                started.manage("migrate", "--verbosity", "0")
                started.postgres.grant()
                started.postgres.stop()
                shutil.move(started.postgres.data, data)
    return data


@contextmanager
def _running(data: Path | None = None) -> Iterator[Services]:
    if MISSING:
        pytest.skip(f"needs Debian's {' and '.join(MISSING)}")
    with tempfile.TemporaryDirectory(prefix="gem-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the daemons run as another user
        postgres, redis = Postgres(folder), Redis(folder)
        try:
            if data:
                postgres.start_with(data)
            else:
                postgres.start()
            redis.start()
            yield Services(folder, postgres, redis, _environment(folder, postgres, redis))
        finally:
            redis.process.kill()
            postgres.process.kill()


def _environment(folder: Path, postgres: Postgres, redis: Redis) -> Mapping[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "SECRET_KEY": secrets.token_hex(32),
        "MAIL_KEY": secrets.token_hex(32),
        "ALLOWED_HOSTS": "play.gem.test",
        "SITE_URL": "https://play.gem.test",
        "DATABASE_URL": postgres.url,
        "REDIS_URL": redis.url,
        "MAIL_DOMAIN": "gem.test",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(free_port()),
        "SMTP_PORT": str(free_port()),
        "PORT": str(free_port()),
        "STATIC_ROOT": str(folder / "static"),
        "MAIL_RATE_CONNECTIONS": "0",
        "WORKER_CONCURRENCY": "2",
    }
