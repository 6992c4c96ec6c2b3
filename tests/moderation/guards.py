"""Tampering as the owner of the audit log's tables could: with their triggers removed for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

TABLES = ("moderation_auditentry", "moderation_audithead")


@contextmanager
def unguarded() -> Iterator[None]:
    """Remove the triggers of the audit log for a while."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for table in TABLES:
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            yield
            for table in TABLES:
                cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
            return
        cursor.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN (%s, %s)", TABLES
        )
        guards = cursor.fetchall()
        for name, _sql in guards:
            cursor.execute(f"DROP TRIGGER {name}")
        yield
        for _name, sql in guards:
            cursor.execute(sql)


def tamper(*statements: str) -> None:
    """Run the statements on the log without its triggers."""
    with unguarded(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
