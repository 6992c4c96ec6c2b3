"""`gemctl doctor`: what can be wrong before Django starts, then everything `manage.py doctor` knows."""

from __future__ import annotations

import grp
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from gemserver.gemctl.installed import Server
from gemserver.gemctl.settings_file import WrongSettings
from gemserver.lib.findings import Finding

WIDTH = 14
LEAST_FREE = 2 * 10**9
"""Bytes on every disk that the server writes to."""


def examine(server: Server, arguments: Sequence[str]) -> int:
    """Print the findings; 1 if something is to be done."""
    findings = list(_look_around(server))
    for finding in findings:
        print(finding.write(WIDTH), flush=True)
    if any(finding.subject == "settings" and not finding.is_good for finding in findings):
        return 1
    status = server.call([server.python, "manage.py", "doctor", *arguments])
    return max(status, int(not all(finding.is_good for finding in findings)))


def _look_around(server: Server) -> Iterator[Finding]:
    yield _look_at_settings(server)
    yield Finding(
        "Python",
        sys.version.split()[0],
        "" if sys.version_info >= (3, 11) else "Install Python 3.11 or newer, and make .venv anew.",
    )
    yield from _look_at_code(server)
    yield from _look_at_disks(server)
    yield from _look_at_clock()


def _look_at_settings(server: Server) -> Finding:
    path = server.settings_path
    if server.has_environment_alone:
        return Finding("settings", "from the environment")
    try:
        server.settings  # noqa: B018  # whether the file can be read
    except WrongSettings as error:
        return Finding("settings", str(path), str(error))
    state = path.stat()
    if state.st_mode & stat.S_IRWXO or state.st_mode & stat.S_IWGRP:
        return Finding(
            "settings",
            f"{path} can be read by others",
            f"chmod 640 {path}: its keys open every match and account.",
        )
    try:
        group = grp.getgrgid(state.st_gid).gr_name
    except KeyError:
        group = str(state.st_gid)
    return Finding(
        "settings", f"{path}, for {'its owner' if not state.st_mode & 0o040 else f'the group {group}'}"
    )


def _look_at_code(server: Server) -> Iterator[Finding]:
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
