"""Real PostgreSQL and Redis on free loopback ports, as an unprivileged user, with data that is deleted afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from glob import glob
from pathlib import Path
from typing import Any

import psycopg

from tests.services.log import say
from tests.services.processes import Failed, Process, answers, free_port, wait_for

PATIENCE = 30
OWNER, SERVER = "gem_owner", "gem"
"""The two roles of docs/operating.md; here the owner of all tables may do everything else too."""
ROLES = Path(__file__).resolve().parent.parent.parent / "deploy/roles.sql"


def require_programs(**others: str) -> None:
    """Install missing programs if possible; otherwise end with a sentence and status 1.

    `others`: programs besides PostgreSQL and Redis, by the Debian packages that have them.
    """
    programs = {
        "postgresql": find_postgres("postgres"),
        "redis-server": shutil.which("redis-server"),
        **{package: shutil.which(program) for package, program in others.items()},
    }
    missing = [package for package, program in programs.items() if program is None]
    if not missing:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        sys.exit(f"This test needs {' and '.join(missing)}; install the Debian packages of these names.")
    say(f"installing {', '.join(missing)}")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *missing]):
        subprocess.run(["apt-get", *arguments], env=environment, stdin=subprocess.DEVNULL, check=True)


def find_postgres(program: str) -> str | None:
    """The path of one of PostgreSQL's own programs, which Debian does not put on the PATH."""
    return shutil.which(program) or next(
        iter(sorted(glob(f"/usr/lib/postgresql/*/bin/{program}"), reverse=True)), None
    )


def unprivileged_user() -> str | None:
    """The user who runs the daemons: `nobody` if we are root, else ourselves (None)."""
    return "nobody" if os.geteuid() == 0 else None


class Postgres:
    """A cluster in `folder` with one empty database.

    `is_durable`: it waits for the disk, as in production. Tests that look at no times and pull no plug need not: tables
    that are emptied behind each take seconds of them.
    """

    def __init__(self, folder: Path, *, is_durable: bool = True) -> None:
        self.port = free_port()
        self.data = folder / "postgres"
        self.process = Process(
            "postgres",
            [
                find_postgres("postgres") or "postgres",
                *("-D", str(self.data), "-p", str(self.port)),
                *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
                *("-c", f"fsync={'on' if is_durable else 'off'}"),
            ],
            folder,
            user=unprivileged_user(),
        )

    @property
    def url(self) -> str:
        """For the owner, who migrates; nothing is refused to this role."""
        return self.url_of("gem")

    @property
    def server_url(self) -> str:
        """For the server's role, which has the rights that `grant` gave it."""
        return self.url_of("gem", SERVER)

    def url_of(self, database: str, role: str = OWNER) -> str:
        return f"postgres://{role}@127.0.0.1:{self.port}/{database}"

    def grant(self) -> None:
        """Let the server's role use the tables that exist now, as after every migration."""
        with psycopg.connect(self.dsn("gem")) as connection:
            connection.execute(ROLES.read_text())  # type: ignore[arg-type]

    def create(self, database: str) -> None:
        """Create another empty database."""
        self._administer(f"CREATE DATABASE {database}")

    def _administer(self, statement: str) -> None:
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[arg-type]

    def start(self) -> None:
        """Make the cluster and start it."""
        self.data.mkdir()
        if user := unprivileged_user():
            shutil.chown(self.data, user)
        made = subprocess.run(
            [
                find_postgres("initdb") or "initdb",
                *(
                    "-D",
                    str(self.data),
                    "-U",
                    OWNER,
                    "--auth=trust",
                    "-E",
                    "UTF8",
                    "--locale=C",
                    "--no-sync",
                ),
            ],
            user=unprivileged_user(),
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise Failed(f"initdb: {made.stderr}")
        self.go_on()
        self._administer(f"CREATE ROLE {SERVER} LOGIN")
        self.create("gem")

    def start_with(self, data: Path) -> None:
        """Start it with a copy of what another one, which has stopped, left in this folder."""
        subprocess.run(["cp", "--archive", str(data), str(self.data)], check=True)
        self.go_on()

    def go_on(self) -> None:
        """Start it, perhaps again, with its present data."""
        self.process.start()
        wait_for("PostgreSQL", self._is_ready, seconds=PATIENCE, watched=[self.process])

    def stop(self) -> None:
        self.process.stop(signal.SIGINT)  # its fast shutdown, without waiting for clients

    def count(self, table: str, condition: str, database: str = "gem") -> int:
        """The number of rows, for questions that no page answers."""
        [(number,)] = self.rows(f"SELECT count(*) FROM {table} WHERE {condition}", database)
        return int(number)

    def rows(self, query: str, database: str = "gem") -> list[tuple[Any, ...]]:
        """The rows that the query selects, as Python values."""
        with psycopg.connect(self.dsn(database)) as connection:
            return connection.execute(query).fetchall()  # type: ignore[arg-type]

    def dsn(self, database: str = "gem") -> str:
        """For psycopg, as a role with all rights."""
        return f"host=127.0.0.1 port={self.port} user={OWNER} dbname={database} connect_timeout=2"

    def _is_ready(self) -> bool:
        try:
            psycopg.connect(self.dsn("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True


class Redis:
    """A Redis that keeps nothing: a restart loses every message, as in the worst crash."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.process = Process(
            "redis",
            [
                shutil.which("redis-server") or "redis-server",
                *("--port", str(self.port), "--bind", "127.0.0.1"),
                *("--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"),
            ],
            folder,
            user=unprivileged_user(),
        )

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self.process.start()
        wait_for("Redis", lambda: answers(self.port), seconds=PATIENCE, watched=[self.process])

    def stop(self) -> None:
        self.process.stop()
