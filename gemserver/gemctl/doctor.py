"""`gemctl doctor`: what can be wrong before Django starts, then everything `manage.py doctor` knows."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from gemserver.gemctl.installed import Server, Who, become, whom
from gemserver.gemctl.permissions import (
    find_processes,
    look_at_code,
    look_at_pages,
    look_at_settings,
    look_at_users,
)
from gemserver.gemctl.settings_file import WrongSettings
from gemserver.lib.process.findings import Finding, examine_each

WIDTH = 14
LEAST_FREE = 2 * 10**9
"""Bytes on every disk that the server writes to."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-dns", action="store_true", help="do not ask the DNS")


def examine(server: Server, options: argparse.Namespace) -> int:
    """Print the findings; 1 if something is to be done."""
    is_good = True
    for finding in examine_each(_list_checks(server)):
        print(finding.write(WIDTH), flush=True)
        is_good &= finding.is_good
    if not _can_start(server):
        print(
            "Database, Redis, processes, mail, site, backups and DNS can be looked at when this is mended.",
            flush=True,
        )
        return 1
    more = ["--no-dns"] if options.no_dns else []
    status = server.call([server.python, "manage.py", "doctor", *more])
    return status or int(not is_good)


def _list_checks(server: Server) -> Mapping[str, Callable[[], Iterable[Finding]]]:
    return {
        "settings": lambda: [_look_at_settings(server)],
        "user": lambda: look_at_users(find_processes(server)),
        "permissions of settings": lambda: look_at_settings(server, find_processes(server)),
        "permissions of code": lambda: look_at_code(server, find_processes(server)),
        "permissions of pages": lambda: look_at_pages(server, find_processes(server)),
        "Python": lambda: [_look_at_python(server)],
        "packages": lambda: _look_at_packages(server),
        "disk": lambda: _look_at_disks(server),
        "clock": _look_at_clock,
    }


def _look_at_settings(server: Server) -> Finding:
    if server.has_environment_alone:
        return Finding("settings", "from the environment")
    path = server.settings_path
    try:
        server.settings  # noqa: B018  # whether the file can be read
    except WrongSettings as error:
        return Finding("settings", str(path), str(error))
    return Finding("settings", str(path))


def _look_at_python(server: Server) -> Finding:
    if not _runs_django(server, "env"):  # which starts it as a unit does; setpriv's own start can reach more
        return Finding(
            "Python",
            f"{server.python} does not start for {whom(Who.SERVER)}, or has no Django",
            "python3 requirements/install.py requirements.txt; if .venv is there already, rm -r .venv before, and take "
            "a python3 that everybody may run, not one in somebody's home.",
        )
    return Finding("Python", sys.version.split()[0])


def _runs_django(server: Server, *by: str) -> bool:
    command = [*become(Who.SERVER), *by, server.python, "-c", "import django"]
    try:
        return subprocess.run(command, cwd=server.root, capture_output=True).returncode == 0
    except OSError:
        return False


def _can_start(server: Server) -> bool:
    """True if the settings and packages are there without which `manage.py` does nothing."""
    try:
        server.settings  # noqa: B018
    except WrongSettings:
        return False
    return _runs_django(server)


def _look_at_packages(server: Server) -> Iterator[Finding]:
    """Compare what is installed with the lists, as `requirements/install.py` has noted it."""
    for name in ("requirements.txt", "requirements/mail.txt"):
        listed = server.root / name
        stamp = server.root / ".venv" / f"{listed.name}.installed"
        if stamp.exists():
            is_same = stamp.read_text() == sha256(listed.read_bytes()).hexdigest()
            advice = f"They differ from the list: python3 requirements/install.py {name}, then restart."
            yield Finding("packages", name, "" if is_same else advice)


def _look_at_disks(server: Server) -> Iterator[Finding]:
    seen = set()
    for path in (
        server.root,
        Path("/var/lib/postgresql"),
        _find_backups(server),
        Path("/var/log"),
        Path("/tmp"),
    ):
        if not os.path.exists(path) or _disk_of(path) in seen:
            continue
        seen.add(_disk_of(path))
        disk = shutil.disk_usage(path)
        is_full = disk.free < max(LEAST_FREE, disk.total // 20)
        yield Finding(
            "disk",
            f"{disk.free / 1e9:.1f} of {disk.total / 1e9:.1f} GB are free at {path}",
            "Make room before it is full: the database stops when it cannot write." if is_full else "",
        )


def _disk_of(path: Path) -> int:
    return path.stat().st_dev


def _find_backups(server: Server) -> Path:
    """The folder of the backups, or the one in which it will be made."""
    try:
        named = server.settings.get("BACKUP_DIR", "")
    except WrongSettings:  # which are told already
        named = ""
    path = server.root / (named or "/var/backups")
    return next(folder for folder in (path, *path.parents) if os.path.exists(folder))


def _look_at_clock() -> Iterator[Finding]:
    if not shutil.which("timedatectl") or not Path("/run/systemd/system").exists():
        return
    done = subprocess.run(
        ["timedatectl", "show", "--property=NTPSynchronized", "--value"], capture_output=True, text=True
    )
    is_set = done.stdout.strip() == "yes"
    yield Finding(
        "clock",
        "is set by the network" if is_set else "is not set by the network",
        "" if is_set else "timedatectl set-ntp true: deadlines are told by this clock.",
    )
