"""Queries whose SQL is built once, for what every move reads: Django builds it slower than the database runs it.

    _plans = Prepared(lambda: StoredPlan.objects.filter(match=Param("match"), end=""))
    for plan in _plans(match=match.pk): ...

For the hot paths alone: a move, a mail, a sweep, the page of a match, a token. It relies on undocumented parts of
Django, which `tests/lib/test_prepared.py` checks: a query set asks `query.get_compiler` for its compiler each time; the
compiler has `as_sql`, `select`, `get_converters` and `apply_converters`; and `QuerySet._iterable_class` takes its rows
from `results_iter` and `execute_sql` alone.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import BigIntegerField, Expression, Field, QuerySet
from django.db.transaction import TransactionManagementError

Row = TypeVar("Row")


class Param(Expression):
    """A value given to a prepared query under this name at each run: a primary key unless `field` says otherwise."""

    def __init__(self, name: str, field: Field[Any, Any] | None = None) -> None:
        super().__init__(output_field=field or BigIntegerField())
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]

    def read(self, value: Any, connection: Any) -> object:
        """The value in the form that the database takes."""
        return self.output_field.get_db_prep_value(value, connection)


class ParamSet(Param):
    """Any number of values, for `__in`: primary keys unless `field` says otherwise."""

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return f"(SELECT unnest(%s::{self.output_field.db_type(connection)}[]))", [self]

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "(SELECT value FROM json_each(%s))", [self]

    def read(self, value: Any, connection: Any) -> object:
        return list(value) if connection.vendor == "postgresql" else json.dumps(list(value))


class Prepared(Generic[Row]):
    """A query that is built at its first run in each thread, and only run after that; it returns all of its rows.

    `build` makes the query set. Its shape may depend on nothing but the database; use a `Param` for whatever changes
    from one run to the next. To lock rows, run it inside a transaction, as ever.
    """

    def __init__(self, build: Callable[[], QuerySet[Any, Row]]) -> None:
        self.build = build
        self._written = threading.local()

    def __call__(self, **given: object) -> list[Row]:
        return self.statement.run(given)

    @property
    def statement(self) -> _Statement[Row]:
        """The query as it is written for the thread's connection."""
        connection = connections[DEFAULT_DB_ALIAS]
        statement: _Statement[Row] | None = getattr(self._written, "statement", None)
        if statement is None or statement.connection is not connection:
            statement = self._written.statement = _Statement(self.build(), connection)
        return statement


class MostlyEmpty:
    """Prepared queries that mostly find nothing: one statement tells which do find rows, and only those are run.

        _days_off = MostlyEmpty(_holidays, _vacations)
        holidays, vacations = _days_off(match=match.pk, users=users)

    Each takes its own among the values that are given.
    """

    def __init__(self, *queries: Prepared[Any]) -> None:
        self._queries = queries

    def __call__(self, **given: object) -> list[list[Any]]:
        statements = [query.statement for query in self._queries]
        sql = ", ".join(f"EXISTS ({statement.sql})" for statement in statements)
        params = [param for statement in statements for param in statement.fill(given)]
        cursor = kept_cursor(connections[DEFAULT_DB_ALIAS])
        cursor.execute(f"SELECT {sql}", params)
        [are_there] = cursor.fetchall()
        return [
            statement.run(given) if is_there else []
            for statement, is_there in zip(statements, are_there, strict=True)
        ]


class _Statement(Generic[Row]):
    """The query set with the SQL that its compiler has written for one connection."""

    def __init__(self, rows: QuerySet[Any, Row], connection: Any) -> None:
        self.connection = connection
        self._rows: Any = rows
        query: Any = rows.query
        self._compiler = query.get_compiler(connection=connection)
        self.sql, self._params = _with_constants(self._compiler.as_sql(), connection)
        self._locks = query.select_for_update
        columns = [column for column, *_ in self._compiler.select]
        self._converters = self._compiler.get_converters(columns)
        # The iterable that makes objects of rows asks the query for a compiler, and that compiler for the rows.
        query.get_compiler = lambda *_, **__: self._compiler
        self._compiler.results_iter = self._convert

    def run(self, given: dict[str, object]) -> list[Row]:
        if self._locks and self.connection.get_autocommit():
            raise TransactionManagementError(
                "a row is locked until the end of a transaction, and there is none"
            )
        found = self._fetch(self.fill(given))
        if not found:
            return []
        self._compiler.execute_sql = lambda *_, **__: found
        return list(self._rows._iterable_class(self._rows))

    def fill(self, given: dict[str, object]) -> list[Any]:
        """The parameters of the SQL, with the values that are given by name."""
        return [
            param.read(given[param.name], self.connection) if isinstance(param, Param) else param
            for param in self._params
        ]

    def _convert(
        self, found: Any = None, tuple_expected: bool = False, **_: object
    ) -> Iterable[Sequence[Any]]:
        """The rows with Python values; the columns that need converting are determined once."""
        found = self._compiler.execute_sql() if found is None else found
        if self._converters:
            found = self._compiler.apply_converters(found, self._converters)
        return map(tuple, found) if tuple_expected else found

    def _fetch(self, params: list[Any]) -> list[tuple[Any, ...]]:
        cursor = kept_cursor(self.connection)
        cursor.execute(self.sql, params)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def kept_cursor(connection: BaseDatabaseWrapper) -> CursorWrapper:
    """The thread's own cursor on the connection, for statements whose rows are read before the next one is run.

    Making a new one for each statement takes Django half as long as running it. A cursor that logs (in tests) is not
    kept.
    """
    if connection.queries_logged:
        return connection.cursor()
    connection.close_if_health_check_failed()
    kept: CursorWrapper | None = getattr(_kept, "cursor", None)
    if kept is None or kept.cursor.connection is not connection.connection:
        kept = _kept.cursor = connection.cursor()
    return kept


_kept = threading.local()


def _with_constants(statement: tuple[str, Sequence[object]], connection: Any) -> tuple[str, Sequence[object]]:
    """Write everything that is not a `Param` into the SQL for PostgreSQL; return it with the parameters that are left.

    PostgreSQL keeps one plan for all values of a parameter, and a plan for any state does not use an index on the rows
    of one state.
    """
    if connection.vendor != "postgresql":
        return statement
    sql, params = statement
    places = (
        "%s" if isinstance(param, Param) else connection.ops.compose_sql("%s", [param]).replace("%", "%%")
        for param in params
    )
    return sql.replace("%%", "%%%%") % tuple(places), [param for param in params if isinstance(param, Param)]
