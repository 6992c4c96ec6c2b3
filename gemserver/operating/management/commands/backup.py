"""`manage.py backup`: everything that counts in one file, while the server runs."""

from __future__ import annotations

import os
import shlex
import stat
import sys
import tempfile
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from gemserver.gemctl.installed import Who, whom
from gemserver.lib import clock
from gemserver.lib.process.ends import ended_in_order
from gemserver.lib.process.named_files import named_file
from gemserver.operating.alarms import note_backup
from gemserver.operating.backup import BackupFailed, Manifest, list_backups, name_backup, write_backup

PART = ".part"
"""Ending of a file that is being written."""
LEFT_BEHIND = timedelta(days=2)
"""Nobody writes one for so long."""


class Command(BaseCommand):
    help = (
        "Write a backup of the whole server into one file: the database as of one instant, and the settings. It holds "
        "what is hidden in running matches, and all keys."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            help="default: a new file in BACKUP_DIR; - for standard output, as for `age` or `ssh`",
        )
        parser.add_argument(
            "--keep", type=_count, default=0, help="leave so many of the newest in BACKUP_DIR; default: all"
        )

    def handle(self, *, file: str | None, keep: int, **options: Any) -> None:
        if file and keep:
            raise CommandError("--keep is for the files in BACKUP_DIR; leave FILE out.")
        now = clock.now()
        try:
            with ended_in_order(), _noting(now, is_routine=file in {None, "-"}):
                if file == "-":
                    self._warn_of_readers()
                    write_backup(sys.stdout.buffer, now=now)
                    return
                path = named_file(file) if file else _make_folder() / name_backup(now)
                manifest = _write(path, now)
            size = path.stat().st_size / 1e6
            self.stdout.write(f"{path}: {size:.1f} MB, matches: {manifest.matches}, moves: {manifest.moves}.")
            if not file:
                _tidy(path, keep, now)
        except BackupFailed as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            user, folder = whom(Who.CALLER), settings.BACKUP_DIR
            if not isinstance(error, PermissionError | FileNotFoundError | NotADirectoryError):
                advice = "Make room, or name another place."
            elif file:
                advice = "Name a file where it can, or write it yourself: umask 077; gemctl backup - > FILE"
            else:
                advice = f"As root: install -d -o {user} -m 700 {shlex.quote(str(folder))}"
            raise CommandError(
                f"{file or folder} cannot be written by the user {user}: {error.strerror}. {advice}"
            ) from error

    def _warn_of_readers(self) -> None:
        """A file that a shell has made is for all whom its umask lets in."""
        state = os.fstat(sys.stdout.fileno())
        if stat.S_ISREG(state.st_mode) and state.st_mode & stat.S_IRWXO:
            self.stderr.write(
                "Others can read this file, which holds all keys: chmod 600 it, and next time umask 077."
            )


@contextmanager
def _noting(now: datetime, *, is_routine: bool) -> Iterator[None]:
    """Note in the database how it went, so that the operators hear of it; a database that is away hears nothing.

    Whoever names a file sits there and reads why it failed; what a timer runs names none.
    """
    try:
        yield
    except (BackupFailed, OSError):
        if is_routine:
            with suppress(DatabaseError):
                note_backup(now, is_made=False)
        raise
    with suppress(DatabaseError):
        note_backup(now, is_made=True)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r}: write a whole number")
    return int(text)


def _make_folder() -> Path:
    folder = Path(settings.BACKUP_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _write(path: Path, now: datetime) -> Manifest:
    """Write it beside, so that a file of this name is always whole, also where two write it at once."""
    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=PART, dir=path.parent)
    part = Path(name)
    try:
        with open(handle, "wb") as target:
            manifest = write_backup(target, now=now)
            target.flush()
            os.fsync(target.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return manifest


def _tidy(written: Path, keep: int, now: datetime) -> None:
    """Leave so many of the newest, the one that was just written among them even if the clock was put back.

    What a killed process has left half written goes too.
    """
    others = [path for path in list_backups(written.parent) if path != written]
    for old in others[keep - 1 :] if keep else ():
        old.unlink(missing_ok=True)
    for part in written.parent.glob(f"gem-*{PART}"):
        with suppress(FileNotFoundError):
            if part.stat().st_mtime < (now - LEFT_BEHIND).timestamp():
                part.unlink()
