"""The indexes of PostgreSQL by which moderators' lists are searched and sorted, and a player's own mails are found.

They belong to no migration: most need the extension `pg_trgm`, which not every role may create. `migrate` makes those
that are missing whenever it runs, without holding up anybody, and `doctor` says when some cannot be made. Without them,
and on SQLite, searches find the same by reading the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.db import DatabaseError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from gemserver.lib.partitions import upkeep

ADVICE = (
    "Searches in moderators' lists read whole tables. As a superuser of PostgreSQL create the extension in the "
    "server's database: CREATE EXTENSION pg_trgm; then run gemctl prepare."
)
LONGEST_NAME = 63
"""Characters of a name in PostgreSQL."""


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """`rest` is what CREATE INDEX takes behind the name of the table."""

    name: str
    table: str
    rest: str


def _trigrams(name: str, table: str, column: str, where: str = "") -> SearchIndex:
    """An index for Django's `icontains` and `iexact` of a text, among the rows of the condition."""
    condition = f" WHERE {where}" if where else ""
    return SearchIndex(name, table, f'USING gin (UPPER("{column}"::text) gin_trgm_ops){condition}')


INDEXES = (
    # Found by a part of a text.
    _trigrams("user_name_parts", "accounts_user", "username"),
    _trigrams("address_parts", "account_emailaddress", "email"),
    _trigrams("unreachable_parts", "accounts_unreachableaddress", "address"),
    _trigrams("message_parts", "matches_chatmessage", "text"),
    _trigrams("what_if_parts", "study_whatif", "name", "name <> ''"),
    _trigrams("audit_subject_parts", "moderation_auditentry", "subject"),
    _trigrams("audit_reason_parts", "moderation_auditentry", "reason"),
    # Mail of strangers; that of players is found by their accounts, so that most rows need no entry.
    _trigrams("outbox_stranger_parts", "notify_outboxmessage", "to", "user_id IS NULL"),
    _trigrams(
        "inbound_sender_parts",
        "inbox_inboundemail",
        "sender",
        "state IN ('dropped', 'held', 'refused', 'unreadable')",
    ),
    # Found by the whole of it.
    SearchIndex("inbound_sender", "inbox_inboundemail", "(sender, received_at) WHERE user_id IS NULL"),
    SearchIndex("inbound_message_id", "inbox_inboundemail", "USING hash (message_id)"),
    # Sorted by.
    SearchIndex("report_listed", "matches_report", "(state, created_at DESC, id DESC)"),
    SearchIndex("unreachable_listed", "accounts_unreachableaddress", "(since DESC, id DESC)"),
    SearchIndex("address_listed", "account_emailaddress", "(email, id DESC)"),
)


def missing(connection: BaseDatabaseWrapper) -> list[SearchIndex]:
    """Those that are not there, or whose making was broken off; none on SQLite."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid "
            "WHERE indisvalid AND relname = ANY(%s) AND pg_table_is_visible(pg_class.oid)",
            [[index.name for index in INDEXES]],
        )
        present = {name for (name,) in cursor.fetchall()}
    return [index for index in INDEXES if index.name not in present]


def build(connection: BaseDatabaseWrapper) -> list[SearchIndex]:
    """Make those that are missing; return those that cannot be made because there is no `pg_trgm`."""
    wanted = missing(connection)
    if any("gin_trgm_ops" in index.rest for index in wanted) and not _has_trigrams(connection):
        refused = [index for index in wanted if "gin_trgm_ops" in index.rest]
    else:
        refused = []
    for index in wanted:
        if index not in refused:
            _build_one(connection, index)
    return refused


def _build_one(connection: BaseDatabaseWrapper, index: SearchIndex) -> None:
    concurrently = "" if connection.in_atomic_block else "CONCURRENTLY"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass ORDER BY 1",
            [index.table],
        )
        partitions = [name for (name,) in cursor.fetchall()]
        if not partitions:
            cursor.execute(f"DROP INDEX {concurrently} IF EXISTS {index.name}")
            cursor.execute(f"CREATE INDEX {concurrently} {index.name} ON {index.table} {index.rest}")
            return
    _build_by_partitions(connection, index, partitions)


def _build_by_partitions(
    connection: BaseDatabaseWrapper, index: SearchIndex, partitions: Sequence[str]
) -> None:
    """Only parts can be made without holding up writers; the whole is valid once each partition has its part.

    Whatever has to wait for too long is left to the next `migrate`.
    """
    concurrently = "" if connection.in_atomic_block else "CONCURRENTLY"
    begin = f"DROP INDEX IF EXISTS {index.name}; CREATE INDEX {index.name} ON ONLY {index.table} {index.rest}"
    if not upkeep.patiently(lambda: _run(connection, begin)):
        return
    for partition in partitions:
        part = f"{partition}_{index.name}"[:LONGEST_NAME]
        _run(connection, f"DROP INDEX {concurrently} IF EXISTS {part}")
        _run(connection, f"CREATE INDEX {concurrently} {part} ON {partition} {index.rest}")
        attach = f"ALTER INDEX {index.name} ATTACH PARTITION {part}"
        upkeep.patiently(partial(_run, connection, attach))


def _run(connection: BaseDatabaseWrapper, sql: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql)
    return True


def _has_trigrams(connection: BaseDatabaseWrapper) -> bool:
    """Create the extension if need be; False if it is not installed or this role may not."""
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except DatabaseError:
        return False
    return True
