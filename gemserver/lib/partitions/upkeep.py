"""Makes partitions ahead of time, takes rows out of the default one, and drops partitions that nobody needs."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import Error, connection, transaction

from gemserver.lib.partitions.tables import PartitionedTable

log = logging.getLogger(__name__)
T = TypeVar("T")

LOCK_TIMEOUT = 0.3
"""Seconds that others may have to wait behind a change of partitions; shorter than PostgreSQL takes to see a deadlock,
so that it is never they who are given up."""
TRIES = 30
PAUSE = 0.7
"""Seconds in which the users of the table can go on."""
MOST_MOVED = 20_000
"""Rows that are moved at once from the default partition, while its users wait: 0.2 s."""
_HELD = "55P03"
_TOO_MANY = "54000"
_BOUNDS = re.compile(r"FOR VALUES FROM \('?([^')]+)'?\) TO \('?([^')]+)'?\)")


@dataclass(frozen=True, slots=True)
class Partition:
    """`lower` is None for the first one, which has no lower bound."""

    name: str
    lower: Any
    upper: Any

    def covers(self, value: Any) -> bool:
        is_above: bool = self.lower is None or self.lower <= value
        is_below: bool = value < self.upper
        return is_above and is_below


def is_partitioned(table: PartitionedTable) -> bool:
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT relkind = 'p' FROM pg_class WHERE oid = to_regclass(%s)", [table.name])
        found = cursor.fetchone()
    return bool(found and found[0])


def read_partitions(table: PartitionedTable) -> list[Partition]:
    """All but the default one, in order."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, pg_get_expr(relpartbound, pg_class.oid) FROM pg_inherits "
            "JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = %s::regclass",
            [table.name],
        )
        found = [(name, _BOUNDS.fullmatch(bounds)) for name, bounds in cursor.fetchall()]
    read = table.step.read
    partitions = [
        Partition(name, None if bounds[1] == "MINVALUE" else read(bounds[1]), read(bounds[2]))
        for name, bounds in found
        if bounds
    ]
    return sorted(partitions, key=lambda each: each.upper)


def missing_ahead(table: PartitionedTable, present: Any, ahead: int) -> list[Any]:
    """The starts of ranges for which there is no partition, from the present one to that many ahead of it."""
    partitions = read_partitions(table)
    starts = [table.step.start(present)]
    for _ in range(ahead):
        starts.append(table.step.after(starts[-1]))
    return [start for start in starts if not any(each.covers(start) for each in partitions)]


def make_ahead(table: PartitionedTable, present: Any, ahead: int, *, most: int = MOST_MOVED) -> list[str]:
    """Make the partitions that are missing; return their names."""
    return [name for start in missing_ahead(table, present, ahead) if (name := make(table, start, most=most))]


def make(table: PartitionedTable, start: Any, *, most: int = MOST_MOVED) -> str | None:
    """Make the partition that begins there, with its rows from the default one; None if it is there, or had to wait.

    Gives up for this time if the default partition has more than `most` rows for it, and says so in the log.
    """
    name, upper = table.partition(start), table.step.after(start)
    sql = f"SELECT {table.name}_make(%s, %s, %s, %s)"
    try:
        moved = patiently(lambda: _call(sql, [name, start, upper, most]))
    except Error as error:
        if getattr(error.__cause__, "sqlstate", None) != _TOO_MANY:
            raise
        log.error("partition %s is not made: more than %d rows would have to be moved", name, most)
        return None
    return name if moved is not None and moved >= 0 else None


def starts_in_default(table: PartitionedTable) -> list[Any]:
    """The starts of ranges of which the default partition has rows, the first few."""
    starts: list[Any] = []
    within = table.step.within(table.column)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT min({table.column}) FROM {table.default} WHERE {within}")
        (value,) = cursor.fetchone()
        while value is not None and len(starts) < 100:
            starts.append(start := table.step.start(value))
            cursor.execute(
                f"SELECT min({table.column}) FROM {table.default} WHERE {within} AND {table.column} >= %s",
                [table.step.after(start)],
            )
            (value,) = cursor.fetchone()
    return starts


def has_default(table: PartitionedTable) -> bool:
    """True if rows for which there is no partition find a place, and new partitions their pattern."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = %s::regclass AND inhrelid = to_regclass(%s))",
            [table.name, table.default],
        )
        (found,) = cursor.fetchone()
    return bool(found)


def make_default(table: PartitionedTable) -> bool:
    """Put a default partition that somebody has taken away back; False if this role is not the owner of the table."""
    pattern = read_partitions(table)[-1].name
    return bool(
        _call(
            "SELECT pg_get_userbyid(relowner) = current_user FROM pg_class WHERE oid = to_regclass(%s)",
            [table.name],
        )
    ) and bool(patiently(lambda: _make_default(table, pattern)))


def _make_default(table: PartitionedTable, pattern: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {table.default} (LIKE {pattern} INCLUDING ALL EXCLUDING IDENTITY)"
        )
        cursor.execute(
            f"SELECT format('GRANT %%s ON {table.default} TO %%I', privilege_type, pg_get_userbyid(grantee)) "
            "FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = to_regclass(%s) AND grantee NOT IN (relowner, 0)",
            [pattern],
        )
        for (grant,) in cursor.fetchall():
            cursor.execute(grant)
        cursor.execute(f"ALTER TABLE {table.name} ATTACH PARTITION {table.default} DEFAULT")
    return True


def drop(table: PartitionedTable, partition: Partition) -> bool:
    """Drop it unless something in it is unfinished; False too if the table was in use all the time."""
    if is_needed(table, partition):
        return False
    return bool(patiently(lambda: _call(f"SELECT {table.name}_drop(%s)", [partition.name])))


def is_needed(table: PartitionedTable, partition: Partition) -> bool:
    """True if something in it is unfinished."""
    return bool(_call(f"SELECT EXISTS ({table.unfinished.format(partition=partition.name)})", []))


def analyze(table: PartitionedTable) -> None:
    """Let PostgreSQL look at the table as a whole, which autovacuum does for partitions alone; it holds up nobody.

    Where something else holds the table all the time, as autovacuum may, it is left for the next partition.
    """

    def look() -> None:
        _call("SELECT set_config('statement_timeout', '0', true)", [])
        _call(f"SELECT {table.name}_analyze()", [])

    patiently(look)


def patiently(act: Callable[[], T]) -> T | None:
    """Call it in a transaction until it gets its locks; None if it did not. Others wait `LOCK_TIMEOUT` at most."""
    for _ in _tries():
        try:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{LOCK_TIMEOUT}s"])
                return act()
        except Error as error:
            if getattr(error.__cause__, "sqlstate", None) != _HELD:
                raise
    return None


def _tries() -> Iterator[int]:
    for number in range(TRIES):
        if number:
            time.sleep(PAUSE)
        yield number


def _call(sql: str, params: list[Any]) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        (value,) = cursor.fetchone()
    return value
