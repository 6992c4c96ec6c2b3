"""Writes rows with statements that are built once, for what every move writes; see `prepared`.

    _save_seats = PreparedUpdate(Seat, "is_waiting", "due_at")
    _save_seats(seats)

As with Django's own `bulk_create` and `bulk_update`, no signals are sent. Constraints are the database's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, Model

from gemserver.lib.database.prepared import kept_cursor

Row = TypeVar("Row", bound=Model)


class PreparedUpdate(Generic[Row]):
    """Saves these fields of existing rows, each found by its primary key."""

    def __init__(self, model: type[Row], *fields: str) -> None:
        self._model = model
        self._names = fields

    def __call__(self, rows: Sequence[Row]) -> None:
        """Save all of them in one statement. Raises DatabaseError if one of the rows does not exist."""
        if not rows:
            return
        connection = connections[DEFAULT_DB_ALIAS]
        values = [value for row in rows for value in _values(self._fields, row, connection)]
        cursor = kept_cursor(connection)
        cursor.execute(_write_sql(self._sql_parts, len(rows)), values)
        if cursor.rowcount != len(rows):
            keys = ", ".join(str(row.pk) for row in rows)
            table = self._model._meta.db_table
            raise DatabaseError(
                f"{table}: {cursor.rowcount} of {len(rows)} rows are there to be saved: {keys}"
            )

    @cached_property
    def _fields(self) -> list[Field[Any, Any]]:
        """The fields to be written, after the primary key."""
        meta = self._model._meta
        return [meta.pk, *(meta.get_field(name) for name in self._names)]  # type: ignore[list-item]

    @cached_property
    def _sql_parts(self) -> tuple[str, str, str]:
        """The SQL before the rows, of one row, and behind them.

        Both databases call the columns of VALUES column1, column2 …; PostgreSQL must be told their types. The types
        leave out the length of a text: a cast would cut it, while the table refuses one that is too long.
        """
        connection = connections[DEFAULT_DB_ALIAS]
        table, key = _quote(self._model._meta.db_table), _quote(self._fields[0].column)
        assigned = ", ".join(
            f"{_quote(field.column)} = given.column{number}"
            for number, field in enumerate(self._fields[1:], start=2)
        )
        types = [str(field.rel_db_type(connection)).partition("(")[0] for field in self._fields]
        places = ", ".join(f"%s::{name}" if connection.vendor == "postgresql" else "%s" for name in types)
        start = f"UPDATE {table} SET {assigned} FROM (VALUES "
        return start, f"({places})", f") AS given WHERE {table}.{key} = given.column1"


class PreparedInsert(Generic[Row]):
    """Writes new rows in one statement and sets their primary keys.

    `ignore_conflicts`: a row whose unique key is taken is left out, and no primary key is set.
    """

    def __init__(self, model: type[Row], *, ignore_conflicts: bool = False) -> None:
        self._model = model
        self._ignores_conflicts = ignore_conflicts

    def __call__(self, rows: Sequence[Row]) -> int:
        """Write the rows; return how many were written."""
        if not rows:
            return 0
        connection = connections[DEFAULT_DB_ALIAS]
        values = [value for row in rows for value in _values(self._fields, row, connection)]
        cursor = kept_cursor(connection)
        cursor.execute(_write_sql(self._sql_parts, len(rows)), values)
        if self._ignores_conflicts:
            return int(cursor.rowcount)
        keys = cursor.fetchall()
        for row, (key,) in zip(rows, keys, strict=True):
            row.pk = key
            row._state.adding, row._state.db = False, connection.alias
        return len(rows)

    @cached_property
    def _fields(self) -> list[Field[Any, Any]]:
        return [field for field in self._model._meta.concrete_fields if not field.primary_key]

    @cached_property
    def _sql_parts(self) -> tuple[str, str, str]:
        meta = self._model._meta
        columns = ", ".join(_quote(field.column) for field in self._fields)
        places = ", ".join("%s" for _ in self._fields)
        end = "ON CONFLICT DO NOTHING" if self._ignores_conflicts else f"RETURNING {_quote(meta.pk.column)}"
        return f"INSERT INTO {_quote(meta.db_table)} ({columns}) VALUES ", f"({places})", f" {end}"


def _values(fields: Sequence[Field[Any, Any]], row: Model, connection: BaseDatabaseWrapper) -> list[Any]:
    values = ((field, getattr(row, field.attname)) for field in fields)
    return [None if value is None else field.get_db_prep_save(value, connection) for field, value in values]


def _write_sql(parts: tuple[str, str, str], rows: int) -> str:
    """`parts`: the SQL before the rows, of one row, and behind them."""
    start, row, end = parts
    return start + ", ".join([row] * rows) + end


def _quote(name: str | None) -> str:
    assert name is not None, "a field without a column"
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(name)
