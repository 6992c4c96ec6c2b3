"""Backups: one file that holds everything that counts, and a database made of it again.

The file is a ZIP archive, written and read as a stream: `database.dump` as PostgreSQL's pg_dump writes it (or
`database.sqlite3`), `settings.env`, and last `manifest.json`, which says what the others must be. A newer major version
of PostgreSQL reads the dump of an older one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader

from gemserver.gemctl.installed import Who, whom
from gemserver.gemctl.prepare import plain_address, split_password

FORMAT = 1
MANIFEST, SETTINGS, SECRET_KEY = "manifest.json", "settings.env", "secret-key"
DUMP, SQLITE = "database.dump", "database.sqlite3"
RESTORE_LOCK = "restore.lock"
RESTORE_KEY = 0x67656D
"""The advisory lock of PostgreSQL that a restore holds: `gem` in ASCII."""
ENDING = ".gembackup"
_OWN_NAME = re.compile(rf"gem-[0-9]{{8}}-[0-9]{{6}}{ENDING}")
CHUNK = 1 << 20
_UNREADABLE = (zipfile.BadZipFile, KeyError, EOFError)
"""Errors of a member that is not there, or not what was written."""
_ENCRYPTED_OR_PATCHED = 0x21
"""Flags of a member that cannot be read as it is."""


class BackupFailed(Exception):
    """No backup, or no restored database; the message says why, and what to do."""


class DamagedBackup(BackupFailed):
    """The file is not what was written."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a backup that it carries, to be checked against its contents."""

    format: int
    made_at: str
    site: str
    vendor: str
    """`postgresql` or `sqlite`."""
    database_version: str
    migrations: list[list[str]]
    matches: int
    moves: int
    digests: dict[str, str]
    """SHA-256 of every other member of the file."""


@dataclass(frozen=True, slots=True)
class _Contents:
    """The fields of a manifest that are read from the very state of the database that is copied."""

    database_version: str
    migrations: list[list[str]]
    matches: int
    moves: int


# Writing


def write_backup(target: IO[bytes], *, now: datetime) -> Manifest:
    """Write a backup of the whole server, while it runs, as of one instant. Raises BackupFailed."""
    digests: dict[str, str] = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        with _open_database() as (name, stream, contents):
            digests[name] = _add(archive, name, stream, now)
        for name, path in _list_secrets():
            with path.open("rb") as stream:
                digests[name] = _add(archive, name, stream, now)
        manifest = Manifest(
            format=FORMAT,
            made_at=now.isoformat(),
            site=settings.SITE_URL,
            vendor=connection.vendor,
            digests=digests,
            **asdict(contents),
        )
        _add_bytes(archive, MANIFEST, json.dumps(asdict(manifest), indent=1).encode(), now)
    return manifest


def _list_secrets() -> Iterator[tuple[str, Path]]:
    if settings.EMBEDDED:
        yield SECRET_KEY, settings.VAR_DIR / "secret-key"
    elif path := os.environ.get("GEM_SETTINGS"):
        if not os.access(path, os.R_OK):
            raise BackupFailed(
                f"{path} cannot be read by the user {whom(Who.CALLER)}, and its keys belong to every backup; gemctl "
                "doctor says what to do."
            )
        yield SETTINGS, Path(path)


@contextmanager
def _open_database() -> Iterator[tuple[str, IO[bytes], _Contents]]:
    """The name of the member, its data and what is in them, from one snapshot. Raises BackupFailed."""
    with (_open_sqlite if connection.vendor == "sqlite" else _open_postgresql)() as opened:
        yield opened


@contextmanager
def _open_sqlite() -> Iterator[tuple[str, IO[bytes], _Contents]]:
    with tempfile.TemporaryDirectory(dir=settings.VAR_DIR) as folder:
        copy = Path(folder) / SQLITE
        try:
            _copy_sqlite(Path(settings.DATABASES["default"]["NAME"]), copy)
            with closing(sqlite3.connect(copy)) as copied:
                contents = _describe(copied.cursor(), "sqlite_version()")
        except sqlite3.Error as error:
            raise BackupFailed(
                f"The database cannot be read ({error}), so there is no backup; manage.py doctor says more."
            ) from error
        with copy.open("rb") as stream:
            yield SQLITE, stream, contents


@contextmanager
def _open_postgresql() -> Iterator[tuple[str, IO[bytes], _Contents]]:
    pg_dump = _find("pg_dump")
    with _snapshot() as (snapshot, contents):
        address, password = split_password(plain_address(settings.DATABASE_URL))
        command = [
            *(pg_dump, "--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}"),
            *("--dbname", address),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **password}) as process:
            assert process.stdout is not None
            try:
                yield DUMP, process.stdout, contents
            except BaseException:
                process.terminate()  # it may wait for a table
                raise
    if process.returncode:
        raise BackupFailed("pg_dump ended with an error, so there is no backup; see its line above.")


@contextmanager
def _snapshot() -> Iterator[tuple[str, _Contents]]:
    """The name of a snapshot that lasts as long as the context, and what is in it. Raises BackupFailed.

    What is counted at another moment than it is copied differs, and the backup would be refused when it is needed.
    """
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        reason = str(error).partition("\n")[0]
        raise BackupFailed(
            f"The database does not answer ({reason}), so there is no backup; gemctl doctor says more."
        ) from error
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        (name,) = cursor.fetchone()
        try:
            contents = _describe(cursor, "current_setting('server_version')")
        except DatabaseError as error:
            reason = str(error).partition("\n")[0]
            raise BackupFailed(
                f"The tables cannot be read ({reason}), so there is no backup. gemctl prepare makes them, and lets "
                "the server read them."
            ) from error
        yield name, contents


def _describe(cursor: Any, version: str) -> _Contents:
    """Ask for the contents; `version` is SQL that tells the database's own."""
    cursor.execute(
        f"SELECT {version}, (SELECT count(*) FROM matches_match), (SELECT count(*) FROM matches_move)"
    )
    its_version, matches, moves = cursor.fetchone()
    cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
    return _Contents(its_version.split()[0], [list(row) for row in cursor.fetchall()], matches, moves)


def _copy_sqlite(source: Path, target: Path) -> None:
    with sqlite3.connect(f"file:{source}?mode=ro", uri=True) as old, sqlite3.connect(target) as new:
        old.backup(new)
    old.close()
    new.close()


def _add(archive: zipfile.ZipFile, name: str, stream: IO[bytes], now: datetime) -> str:
    """Add a member of unknown length; its digest."""
    digest = hashlib.sha256()
    with archive.open(_about(name, now), "w", force_zip64=True) as member:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
            member.write(chunk)
    return digest.hexdigest()


def _add_bytes(archive: zipfile.ZipFile, name: str, content: bytes, now: datetime) -> None:
    archive.writestr(_about(name, now), content)


def _about(name: str, now: datetime) -> zipfile.ZipInfo:
    about = zipfile.ZipInfo(name, now.timetuple()[:6])
    about.external_attr = 0o600 << 16
    return about


# Reading


class Backup:
    """An opened backup. Raises DamagedBackup for what is none."""

    def __init__(self, file: Path | IO[bytes]) -> None:
        try:
            self._archive = zipfile.ZipFile(file)
            _require_own_form(self._archive)
            self.manifest = _read_manifest(self._archive)
        except OSError as error:
            raise BackupFailed(f"The file cannot be read: {error.strerror or error}.") from error
        except (*_UNREADABLE, ValueError, TypeError, AttributeError, RuntimeError) as error:
            raise DamagedBackup(
                "This is no whole backup: its end is missing, or was changed. Take another one."
            ) from error

    @property
    def is_sqlite(self) -> bool:
        return self.manifest.vendor == "sqlite"

    def list_damaged(self) -> list[str]:
        """The members that are not what was written."""
        return [name for name, digest in self.manifest.digests.items() if self._digest(name) != digest]

    def _digest(self, name: str) -> str:
        digest = hashlib.sha256()
        try:
            for chunk in self.read(name):
                digest.update(chunk)
        except _UNREADABLE:
            return ""
        return digest.hexdigest()

    def read(self, name: str) -> Iterator[bytes]:
        """A member in pieces. Raises one of `_UNREADABLE`, at the latest at the end of one that was changed."""
        with self._archive.open(name) as member:
            while chunk := member.read(CHUNK):
                yield chunk

    def copy(self, name: str, target: IO[bytes]) -> None:
        """A member into this file, as far as it can be read."""
        try:
            for chunk in self.read(name):
                target.write(chunk)
        except _UNREADABLE:
            return

    def require_known(self) -> None:
        """Raise BackupFailed if it was made by a version that this code does not know."""
        known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
        own = {app for app, _name in known}
        unknown = [
            f"{app}.{name}"
            for app, name in self.manifest.migrations
            if app in own and (app, name) not in known
        ]
        if unknown:
            raise BackupFailed(
                f"The backup was made by a newer version ({unknown[0]} is not known here). Change to that version "
                "first: gemctl upgrade VERSION."
            )
        if self.manifest.vendor != connection.vendor:
            raise BackupFailed(
                f"The backup is of {self.manifest.vendor}, this server works with {connection.vendor}. "
                "export_match and import_match carry matches from one to the other."
            )


def _require_own_form(archive: zipfile.ZipFile) -> None:
    """Raise BadZipFile for members that `write_backup` does not write: compressed ones could unpack to anything."""
    for member in archive.infolist():
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & _ENCRYPTED_OR_PATCHED:
            raise zipfile.BadZipFile(member.filename)


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    read = json.loads(archive.read(MANIFEST))
    if read.get("format") != FORMAT:
        raise BackupFailed(
            "The backup has a format that this version does not know; take the version that made it."
        )
    if not isinstance(read["digests"], dict) or any(len(row) != 2 for row in read["migrations"]):
        raise ValueError(MANIFEST)
    return Manifest(**read)


@contextmanager
def restoring_alone() -> Iterator[None]:
    """Let one restore at a time into this database: of two, the one that fails would empty what the other fills.

    Raises BackupFailed.
    """
    busy = BackupFailed("Another restore into this database is under way; wait for its end.")
    if connection.vendor == "sqlite":
        with (settings.VAR_DIR / RESTORE_LOCK).open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise busy from None
            yield
        return
    holder = connection.copy()  # for the restore opens and closes its own
    try:
        with holder.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [RESTORE_KEY])
            if not cursor.fetchone()[0]:
                raise busy
        yield
    finally:
        holder.close()


def require_empty() -> None:
    """Raise BackupFailed if the database has tables: what is there is never overwritten."""
    if connection.introspection.table_names():
        raise BackupFailed(
            "The database is not empty, and a restore overwrites nothing. Make a new one (createdb --owner gem_owner "
            "restored) and name it: gemctl restore FILE --database postgres:///restored."
        )


def fill_database(backup: Backup, *, tolerates: bool) -> None:
    """Read the dump into the empty database; `tolerates`: as much as can be read of it. Raises BackupFailed."""
    if backup.is_sqlite:
        path = Path(settings.DATABASES["default"]["NAME"])
        connection.close()
        with path.open("wb") as target:
            backup.copy(SQLITE, target)
        return
    address, password = split_password(plain_address(settings.DATABASE_URL))
    command = [
        *(_find("pg_restore"), "--no-owner", "--no-privileges", "--dbname", address),
        *(() if tolerates else ("--exit-on-error",)),
    ]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL if tolerates else None,
        env={**os.environ, **password},
    ) as process:
        assert process.stdin is not None
        try:
            backup.copy(DUMP, process.stdin)
            process.stdin.close()
        except BrokenPipeError:
            pass
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if process.returncode and not tolerates:
        raise BackupFailed("pg_restore ended with an error, see its lines above.")


def empty_database() -> None:
    """Take away what a restore that failed has made; only called where nothing was before."""
    if connection.vendor == "sqlite":
        connection.close()
        Path(settings.DATABASES["default"]["NAME"]).unlink(missing_ok=True)
        return
    connection.close()  # whatever was broken off may have left it in any state
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'public'")
        if cursor.fetchone() == (True,):
            cursor.execute("DROP SCHEMA public CASCADE")
            cursor.execute("CREATE SCHEMA public")
            return
        # Before PostgreSQL 15 the schema is the superuser's, even in a database of one's own.
        cursor.execute(
            """
            SELECT format('DROP EXTENSION IF EXISTS %I CASCADE', extname)
                FROM pg_extension WHERE extowner = current_user::regrole
            UNION ALL SELECT format('DROP TABLE IF EXISTS %s CASCADE', oid::regclass) FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relowner = current_user::regrole
                AND relkind IN ('r', 'p') AND NOT relispartition
            UNION ALL SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure) FROM pg_proc
                WHERE pronamespace = 'public'::regnamespace AND proowner = current_user::regrole
            """
        )
        for (statement,) in cursor.fetchall():
            cursor.execute(statement)


def _find(program: str) -> str:
    if path := shutil.which(program):
        return path
    raise BackupFailed(f"{program} is not installed; it comes with PostgreSQL's client (postgresql-client).")


def list_backups(folder: Path) -> Sequence[Path]:
    """The backups of a folder whose names tell when they were made, the newest first; none that somebody has named."""
    return sorted(
        (path for path in folder.glob(f"*{ENDING}") if _OWN_NAME.fullmatch(path.name)), reverse=True
    )


def name_backup(now: datetime) -> str:
    return f"gem-{now:%Y%m%d-%H%M%S}{ENDING}"


def age_of_newest(folder: Path, now: datetime) -> timedelta | None:
    """The age of the newest backup, whatever its name; None where there is none. Raises OSError."""
    try:
        with os.scandir(folder) as files:
            times = [file.stat().st_mtime for file in files if file.name.endswith(ENDING)]
    except FileNotFoundError:
        return None
    return now - datetime.fromtimestamp(max(times), UTC) if times else None
