"""`manage.py backup`: everything that counts in one file, while the server runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gemserver.lib import clock
from gemserver.lib.named_files import named_file
from gemserver.operating.backup import BackupFailed, list_backups, name_backup, write_backup


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
            "--keep", type=int, default=0, help="leave so many of the newest in BACKUP_DIR; default: all"
        )

    def handle(self, *, file: str | None, keep: int, **options: Any) -> None:
        now = clock.now()
        try:
            if file == "-":
                write_backup(sys.stdout.buffer, now=now)
                return
            path = named_file(file) if file else _make_folder() / name_backup(now)
            manifest = _write(path, now)
        except BackupFailed as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(
                f"{error.filename or file}: {error.strerror}. Name a file that can be written."
            ) from error
        size = path.stat().st_size / 1e6
        self.stdout.write(f"{path}: {size:.1f} MB, matches: {manifest.matches}, moves: {manifest.moves}.")
        if keep > 0:
            for old in list_backups(path.parent)[keep:]:
                old.unlink()


def _make_folder() -> Path:
    folder = Path(settings.BACKUP_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _write(path: Path, now: Any) -> Any:
    """Write it beside, so that a file of this name is always whole."""
    part = path.with_name(f"{path.name}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(handle, "wb") as target:
            manifest = write_backup(target, now=now)
            target.flush()
            os.fsync(target.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return manifest
