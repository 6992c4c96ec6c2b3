"""`manage.py migrate`: Django's own, but it never makes a running server wait long for a table."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

from gemserver.operating import search_indexes

LOCK_TIMEOUT = 2
"""Seconds. While a change waits for a table, everybody else waits behind it, readers included."""
TRIES = 15
PAUSE = 4.0
"""Seconds in which the users of the tables can go on."""


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, trying again while a table is locked: each migration is a transaction, so none is done twice."""
        connection = connections[options["database"]]
        _refuse_early_versions(connection)
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}s'")
        try:
            self._try(*args, **options)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
        if not (options["plan"] or options["check_unapplied"] or options["app_label"] or options["fake"]):
            self._index(connection)

    def _index(self, connection: BaseDatabaseWrapper) -> None:
        """Make the indexes of moderators' lists, once the tables are there."""
        if refused := search_indexes.build(connection):
            names = ", ".join(index.name for index in refused)
            self.stderr.write(f"Not made: {names}. {search_indexes.ADVICE}")

    def _try(self, *args: Any, **options: Any) -> None:
        for left in range(TRIES, 0, -1):
            try:
                super().handle(*args, **options)
            except Error as error:
                if not _is_held(error):
                    raise
                if left == 1:
                    raise CommandError(
                        "A table that is to be changed is in use all the time. What was migrated so far stays; look "
                        "in pg_stat_activity for a transaction that does not end, and run this command again."
                    ) from error
                self.stderr.write("A table that is to be changed is in use; trying again.")
                time.sleep(PAUSE)
            else:
                return


def _refuse_early_versions(connection: BaseDatabaseWrapper) -> None:
    """Raise CommandError for a database from before 1.0: no migration leads on from the tables of that time."""
    if ("mailgate", "0001_initial") in MigrationRecorder(connection).applied_migrations():
        raise CommandError(
            "This database was made by a version before 1.0, whose tables this one does not take over. Export the "
            "matches that matter with that version's export_match, make a new database, and import them there. "
            "A server for one's own desk (make play) needs only an empty folder: move var/ away."
        )


def _is_held(error: Error) -> bool:
    return getattr(error.__cause__, "sqlstate", None) == "55P03"  # lock_not_available
