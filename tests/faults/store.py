"""A disk for incoming mail alone, so that it alone can be full."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from django.db import connection

from tests.services.daemons import unprivileged_user
from tests.services.log import say

SIZE = 256
"""Megabytes."""
TABLE = "inbox_inboundemail"


class MailStore:
    """The table of incoming mail on a small tmpfs; where none may be mounted, a table that says its disk is full."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "mailstore"
        self._filler = self._folder / "filler"
        self.is_real = False

    def start(self) -> None:
        """Move the table; the site must not run yet."""
        self._folder.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m", "tmpfs", str(self._folder)],
            capture_output=True,
            check=False,
        )
        self.is_real = mounted.returncode == 0
        if not self.is_real:
            say("no tmpfs may be mounted: the mail store will only say that its disk is full")
            return
        place = self._folder / "tablespace"
        place.mkdir()
        if user := unprivileged_user():
            shutil.chown(place, user)
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLESPACE mailstore LOCATION '{place}'")
            cursor.execute(f"ALTER TABLE {TABLE} SET TABLESPACE mailstore")

    def stop(self) -> None:
        """Move the table back, and give the disk up."""
        if not self.is_real:
            return
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"ALTER TABLE {TABLE} SET TABLESPACE pg_default")
                cursor.execute("DROP TABLESPACE mailstore")
        finally:
            subprocess.run(["umount", "--lazy", str(self._folder)], check=False)

    def fill(self) -> None:
        """Leave no room for another mail."""
        if not self.is_real:
            self._refuse()
            return
        with self._filler.open("wb", buffering=0) as filler:
            block = bytes(65536)
            try:
                while True:
                    filler.write(block)
            except OSError:
                pass

    def empty(self) -> None:
        """Make room again."""
        if self.is_real:
            self._filler.unlink()
            return
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TRIGGER full_disk ON {TABLE}")

    def _refuse(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE OR REPLACE FUNCTION refuse_full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$"
            )
            cursor.execute(
                f"CREATE TRIGGER full_disk BEFORE INSERT ON {TABLE} EXECUTE FUNCTION refuse_full_disk()"
            )
