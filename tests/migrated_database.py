"""Keeps an empty migrated SQLite database from run to run: the migrations take six seconds, a copy takes none.

Only for the tests: it is made by the migrations themselves, and made anew when a file of theirs, the tests' settings or
Django changes.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import django
import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.commands import flush
from django.db import connection
from pytest_django import DjangoDbBlocker


def is_sqlite() -> bool:
    return connection.vendor == "sqlite"


def find_kept() -> Path:
    """The file of the kept database, named by all that made it; it may not exist yet."""
    made_of = hashlib.sha256(django.__version__.encode())
    made_of.update(Path(__file__).with_name("settings.py").read_bytes())
    for app in apps.get_app_configs():
        for file in sorted(Path(app.path, "migrations").glob("*.py")):
            made_of.update(file.read_bytes())
    return Path(settings.VAR_DIR, f"migrated-{made_of.hexdigest()[:16]}.sqlite3")


@pytest.fixture(scope="session")
def its_turn() -> Iterator[IO[str]]:
    """A file that is locked while the database is looked for and made: other processes wait and copy it then."""
    with Path(settings.VAR_DIR, "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, its_turn: IO[str]
) -> Iterator[None]:
    """Begin with a copy of the kept database, whose tables need no migration."""
    kept = find_kept()
    if not (is_sqlite() and kept.exists()):
        yield
        return
    test = settings.DATABASES["default"]["TEST"]
    copy = Path(connection.settings_dict["TEST"]["NAME"])
    shutil.copyfile(kept, copy)
    connection.settings_dict["TEST"]["MIGRATE"] = test["MIGRATE"] = False
    yield
    for file in copy.parent.glob(f"{copy.name}*"):
        file.unlink()


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None) -> bool:
    """Let Django take the copy as it is."""
    return connection.settings_dict["TEST"].get("MIGRATE") is False


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, its_turn: IO[str], django_db_blocker: DjangoDbBlocker) -> None:
    """Keep the database that was just made, unless one is kept, and let the next process go on."""
    with django_db_blocker.unblock():
        _remember_what_migrations_write()
    _let_numbers_begin_anew()
    if is_sqlite() and not find_kept().exists():
        _keep(django_db_blocker)
    fcntl.flock(its_turn, fcntl.LOCK_UN)


def _keep(django_db_blocker: DjangoDbBlocker) -> None:
    kept = find_kept()
    made = kept.with_suffix(f".{os.getpid()}")
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(made)])
    for older in kept.parent.glob("migrated-*.sqlite3"):
        older.unlink(missing_ok=True)
    made.replace(kept)


def _remember_what_migrations_write() -> None:
    """Let a test that empties all tables write these rows again, which Django would otherwise ask each model for."""
    types, permissions = list(ContentType.objects.all()), list(Permission.objects.all())

    def write_again(*_: object) -> None:
        ContentType.objects.bulk_create(types)
        Permission.objects.bulk_create(permissions)

    flush.emit_post_migrate_signal = write_again


def _let_numbers_begin_anew() -> None:
    """Let numbers of rows begin with 1 behind a test that empties all tables too, as behind any other."""
    empty = flush.sql_flush

    def empty_and_begin_anew(*given: Any, **named: Any) -> list[str]:
        return empty(*given, **{**named, "reset_sequences": True})

    flush.sql_flush = empty_and_begin_anew
