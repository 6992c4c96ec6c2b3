"""Rows written by statements that are put together once, for what every move writes; see `prepared`.

_save_seats = PreparedUpdate(Seat, "is_waiting", "due_at")
_save_seats(seats)

As with Django's own `bulk_create` and `bulk_update` no signals are sent. Constraints are the database's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, Model

Row = TypeVar("Row", bound=Model)


class PreparedUpdate(Generic[Row]):
    """Saves these fields of rows that exist, each by its primary key."""

    def __init__(self, model: type[Row], *fields: str) -> None:
        self._model = model
        self._names = fields

    def __call__(self, rows: Sequence[Row]) -> None:
        """Raises DatabaseError when one of the rows is not there."""
        connection = connections[DEFAULT_DB_ALIAS]
        with connection.cursor() as cursor:
            for row in rows:
                cursor.execute(self._sql, [*_values(self._fields, row, connection), row.pk])
                if not cursor.rowcount:
                    raise DatabaseError(f"{row} is not there to be saved")

    @cached_property
    def _fields(self) -> list[Field[Any, Any]]:
        return [self._model._meta.get_field(name) for name in self._names]  # type: ignore[misc]

    @cached_property
    def _sql(self) -> str:
        assigned = ", ".join(f"{_quote(field.column)} = %s" for field in self._fields)
        meta = self._model._meta
        return f"UPDATE {_quote(meta.db_table)} SET {assigned} WHERE {_quote(meta.pk.column)} = %s"


class PreparedInsert(Generic[Row]):
    """Writes new rows in one statement; they learn their primary keys.

    `ignore_conflicts`: a row whose unique key is taken is left out, and none learns its primary key.
    """

    def __init__(self, model: type[Row], *, ignore_conflicts: bool = False) -> None:
        self._model = model
        self._ignores_conflicts = ignore_conflicts

    def __call__(self, rows: Sequence[Row]) -> int:
        """How many have been written."""
        if not rows:
            return 0
        connection = connections[DEFAULT_DB_ALIAS]
        values = [value for row in rows for value in _values(self._fields, row, connection)]
        with connection.cursor() as cursor:
            cursor.execute(self._write_sql(len(rows)), values)
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

    def _write_sql(self, rows: int) -> str:
        start, row, end = self._sql_parts
        return start + ", ".join([row] * rows) + end

    @cached_property
    def _sql_parts(self) -> tuple[str, str, str]:
        meta = self._model._meta
        columns = ", ".join(_quote(field.column) for field in self._fields)
        places = ", ".join("%s" for _ in self._fields)
        end = "ON CONFLICT DO NOTHING" if self._ignores_conflicts else f"RETURNING {_quote(meta.pk.column)}"
        return f"INSERT INTO {_quote(meta.db_table)} ({columns}) VALUES ", f"({places})", f" {end}"


def _values(fields: Sequence[Field[Any, Any]], row: Model, connection: BaseDatabaseWrapper) -> list[Any]:
    return [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]


def _quote(name: str | None) -> str:
    assert name is not None, "a field without a column"
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(name)
