"""Backups as files: what is damaged, cut off or of another version is refused before a database is touched."""

from __future__ import annotations

import fcntl
import io
import json
import os
import subprocess
import sys
import zipfile
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from gemserver.gemctl.installed import Who, whom
from gemserver.operating.backup import (
    Backup,
    BackupFailed,
    DamagedBackup,
    age_of_newest,
    list_backups,
    name_backup,
)
from gemserver.operating.management.commands import backup as backup_command
from tests.builders import NOON
from tests.services.site import ROOT

of_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="the backups are of SQLite")
MEMBERS = {"database.sqlite3": b"rows" * 5000, "secret-key": b"key"}


def write(path: Path, **changed: Any) -> Path:
    """A backup whose manifest has these changes."""
    manifest = {
        "format": 1,
        "made_at": NOON.isoformat(),
        "site": "https://play.example.org",
        "vendor": "sqlite",
        "database_version": "3.40.1",
        "migrations": [["accounts", "0001_initial"]],
        "matches": 1,
        "moves": 1,
        "digests": {name: sha256(content).hexdigest() for name, content in MEMBERS.items()},
        **changed,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in MEMBERS.items():
            archive.writestr(name, content)
        archive.writestr("manifest.json", json.dumps(manifest))
    return path


@of_sqlite
def test_a_whole_file_is_taken(tmp_path: Path) -> None:
    backup = Backup(write(tmp_path / "whole"))
    backup.require_known()
    assert backup.list_damaged() == []
    assert b"".join(backup.read("secret-key")) == b"key"


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.9, 0.999])
def test_one_that_is_cut_off_is_none(tmp_path: Path, share: float) -> None:
    path = write(tmp_path / "cut")
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DamagedBackup) as refused:
        Backup(path)
    assert "Take another one" in str(refused.value)


def test_every_byte_that_was_changed_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "whole")
    content = path.read_bytes()
    for place in [*range(0, len(content), 997), *range(len(content) - 900, len(content), 31)]:
        changed = bytearray(content)
        changed[place] ^= 0x55
        broken = tmp_path / "broken"
        broken.write_bytes(changed)
        try:
            backup = Backup(broken)
        except BackupFailed:
            continue
        if backup.list_damaged():
            continue
        assert [b"".join(backup.read(name)) for name in MEMBERS] == [*MEMBERS.values()], place
        assert backup.manifest == Backup(path).manifest, place


def test_no_changed_byte_ends_in_an_error_of_python(tmp_path: Path) -> None:
    """The table of contents says how each member is written: encrypted, compressed, elsewhere, under another name."""
    content = write(tmp_path / "whole").read_bytes()
    for place in [*range(60), *range(len(content) - 500, len(content))]:
        for byte in {content[place] ^ 1, content[place] ^ 8, 0, 255}:
            changed = bytearray(content)
            changed[place] = byte
            try:
                backup = Backup(io.BytesIO(changed))
                backup.list_damaged()
                backup.copy("database.sqlite3", io.BytesIO())
            except BackupFailed:
                continue


@pytest.mark.parametrize(
    "manifest",
    ["[]", "null", "[" * 100_000, '{"format": 1}', '{"format": 1, "digests": null, "migrations": []}'],
)
def test_a_manifest_of_another_shape_makes_no_backup(tmp_path: Path, manifest: str) -> None:
    with zipfile.ZipFile(tmp_path / "odd", "w") as archive:
        archive.writestr("manifest.json", manifest)
    with pytest.raises(DamagedBackup):
        Backup(tmp_path / "odd")


def test_a_small_file_unpacks_to_no_large_one(tmp_path: Path) -> None:
    with zipfile.ZipFile(write(tmp_path / "bomb"), "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("settings.env", bytes(1 << 20))
    with pytest.raises(DamagedBackup):
        Backup(tmp_path / "bomb")


@of_sqlite
def test_one_of_another_form_or_version_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BackupFailed) as refused:
        Backup(write(tmp_path / "later", format=2))
    assert "take the version that made it" in str(refused.value)
    newer = Backup(write(tmp_path / "newer", migrations=[["accounts", "0099_of_tomorrow"]]))
    with pytest.raises(BackupFailed) as refused:
        newer.require_known()
    assert "gemctl upgrade VERSION" in str(refused.value)
    other = Backup(write(tmp_path / "other", vendor="postgresql"))
    with pytest.raises(BackupFailed) as refused:
        other.require_known()
    assert "export_match" in str(refused.value)
    with pytest.raises(BackupFailed):
        Backup(tmp_path / "none")


def test_the_newest_backup_comes_first(tmp_path: Path) -> None:
    for name in ("gem-20260101-000000", "gem-20251231-235959"):
        (tmp_path / f"{name}.gembackup").touch()
    (tmp_path / f"{name_backup(NOON)}.part").touch()
    assert [path.name[4:8] for path in list_backups(tmp_path)] == ["2026", "2025"]


def test_a_backup_that_somebody_has_named_is_a_fresh_one_but_none_of_those_that_go(tmp_path: Path) -> None:
    assert age_of_newest(tmp_path, NOON) is None
    assert age_of_newest(tmp_path / "none", NOON) is None
    for name, hours in (("gem-20260101-000000", 50), ("before-the-move", 2)):
        path = tmp_path / f"{name}.gembackup"
        path.touch()
        os.utime(path, (at := (NOON - timedelta(hours=hours)).timestamp(), at))
    assert age_of_newest(tmp_path, NOON) == timedelta(hours=2)
    assert [path.name for path in list_backups(tmp_path)] == ["gem-20260101-000000.gembackup"]


@pytest.mark.django_db
def test_a_place_that_cannot_be_written_is_named_with_who_would_write_there(
    tmp_path: Path, settings: Any
) -> None:
    """The server's user does, where root calls gemctl: what root may write is no help."""
    (tmp_path / "file").touch()
    with pytest.raises(CommandError) as refused:
        call_command("backup", str(tmp_path / "file/with blank"))
    assert f"file/with blank cannot be written by the user {whom(Who.CALLER)}" in str(refused.value)
    assert "umask 077; gemctl backup - > FILE" in str(refused.value)
    settings.BACKUP_DIR = tmp_path / "file/with blank"
    with pytest.raises(CommandError) as refused:
        call_command("backup")
    assert f"install -d -o {whom(Who.CALLER)} -m 700 '{tmp_path}/file/with blank'" in str(refused.value)


@pytest.mark.django_db
@pytest.mark.parametrize(("mode", "is_told"), [(0o644, True), (0o600, False)])
def test_a_file_that_others_can_read_is_told_when_keys_are_written_into_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, is_told: bool
) -> None:
    monkeypatch.setattr(backup_command, "write_backup", lambda _target, *, now: None)
    said = io.StringIO()
    with (tmp_path / "file").open("w") as file:
        os.fchmod(file.fileno(), mode)
        monkeypatch.setattr(sys, "stdout", file)
        call_command("backup", "-", stderr=said)
    assert ("chmod 600" in said.getvalue()) is is_told


@pytest.mark.django_db
def test_status_does_not_call_backups_none_that_it_cannot_see(tmp_path: Path, settings: Any) -> None:
    settings.BACKUP_DIR = tmp_path / "file"
    settings.BACKUP_DIR.touch()
    said = io.StringIO()
    call_command("status", stdout=said)
    assert f"backup     {tmp_path}/file: Not a directory" in said.getvalue()


@pytest.mark.slow
def test_the_embedded_server_is_made_again_from_its_backup(tmp_path: Path) -> None:
    """As somebody does who takes a club on a laptop to another one."""

    def manage(folder: str, *arguments: str) -> str:
        environment = {**os.environ, "GEMSERVER_VAR": str(tmp_path / folder), "GEMSERVER_MODE": "embedded"}
        for name in ("DJANGO_SETTINGS_MODULE", "DATABASE_URL"):
            environment.pop(name, None)
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )
        return f"{done.returncode} {done.stdout}{done.stderr}"

    play = (
        "from tests.builders import *; players = [make_user('ana'), make_user('ben')]; "
        "play_to_the_end(make_match('jewellers', players=players))"
    )
    manage("old", "migrate", "--verbosity", "0")
    assert manage("old", "shell", "--verbosity", "0", "--command", play).startswith("0")
    file = tmp_path / "club.gembackup"
    assert "matches: 1" in manage("old", "backup", str(file))
    (tmp_path / "new").mkdir()
    with (tmp_path / "new/restore.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "Another restore into this database" in manage("new", "restore", str(file))
    assert "every match (1) follows" in manage("new", "restore", str(file))
    assert (tmp_path / "new/secret-key").read_text() == (tmp_path / "old/secret-key").read_text()
    assert manage("new", "verify_matches").startswith("0 1 match")
    assert "overwrites nothing" in manage("new", "restore", str(file))
