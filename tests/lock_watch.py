"""Watches in which order each transaction of a test locks rows: SQLite has no such locks, but the same code runs."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import models, transaction
from django.db.models import QuerySet

from gemserver.accounts.models import User
from gemserver.lib.database import advisory_locks
from gemserver.lib.database.lock_order import ORDER
from gemserver.lib.database.prepared import Prepared

_RANKS = {label: rank for rank, label in enumerate(ORDER)}


class _Transaction(threading.local):
    """The rows that the outermost transaction of this thread has locked and made so far."""

    def __init__(self) -> None:
        self.depth = 0
        self.at_savepoints: list[set[tuple[int, Any]]] = []
        self.held: set[tuple[int, Any]] = set()
        self.made: set[tuple[int, Any]] = set()


@pytest.fixture(autouse=True)
def rows_are_locked_in_order(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test in which a transaction locks a row after one that comes later in `ORDER`."""
    here, found = _Transaction(), list[str]()
    _watch_transactions(monkeypatch, here)

    def note(label: str, key: Any) -> None:
        rank = _RANKS.get(label)
        if rank is None or here.depth == 0:
            return
        place = (rank, key)
        if place in here.held or place in here.made:
            return
        if here.held and place < max(here.held):
            last, other = max(here.held)
            where = "".join(line for line in traceback.format_stack() if "/gemserver/" in line)
            found.append(f"{ORDER[rank]} {key} is locked after {ORDER[last]} {other}:\n{where}")
        here.held.add(place)

    _watch_rows(monkeypatch, here, note)
    _watch_limits(monkeypatch, note)
    yield
    assert not found, found[0]


def _watch_transactions(monkeypatch: pytest.MonkeyPatch, here: _Transaction) -> None:
    enter, leave = transaction.Atomic.__enter__, transaction.Atomic.__exit__

    def entered(self: transaction.Atomic) -> None:
        enter(self)
        here.depth += not self._from_testcase
        here.at_savepoints.append(set(here.held))

    def left(self: transaction.Atomic, *error: Any) -> None:
        here.depth -= not self._from_testcase
        before = here.at_savepoints.pop()
        if error[0] is not None:  # a savepoint that is rolled back gives back what was locked behind it
            here.held = before
        if here.depth == 0:
            here.held.clear()
            here.made.clear()
        leave(self, *error)

    monkeypatch.setattr(transaction.Atomic, "__enter__", entered)
    monkeypatch.setattr(transaction.Atomic, "__exit__", left)


def _watch_rows(
    monkeypatch: pytest.MonkeyPatch, here: _Transaction, note: Callable[[str, Any], None]
) -> None:
    fetch, run = QuerySet._fetch_all, Prepared.__call__
    update, insert = models.Model._do_update, models.Model._do_insert

    def fetched(self: QuerySet[Any]) -> None:
        is_first = self._result_cache is None
        fetch(self)
        query = self.query
        is_whole = self.model is User and not query.select_for_no_key_update  # at the end of an erasure
        if is_first and query.select_for_update and not query.select_for_update_skip_locked and not is_whole:
            for row in self._result_cache:
                note(self.model._meta.label, row.pk if isinstance(row, models.Model) else row)

    def ran(self: Prepared[Any], **given: object) -> list[Any]:
        rows = run(self, **given)
        if rows and isinstance(rows[0], models.Model) and self._written.statement._locks:
            for row in rows:
                note(row._meta.label, row.pk)
        return rows

    def updated(self: models.Model, *arguments: Any) -> bool:
        note(self._meta.label, self.pk)
        return update(self, *arguments)

    def inserted(self: models.Model, *arguments: Any) -> Any:
        values = insert(self, *arguments)
        rank = _RANKS.get(self._meta.label)
        if rank is not None:
            here.made.add((rank, self.pk if self.pk is not None else values[0][0]))
        return values

    monkeypatch.setattr(QuerySet, "_fetch_all", fetched)
    monkeypatch.setattr(Prepared, "__call__", ran)
    monkeypatch.setattr(models.Model, "_do_update", updated)
    monkeypatch.setattr(models.Model, "_do_insert", inserted)


def _watch_limits(monkeypatch: pytest.MonkeyPatch, note: Callable[[str, Any], None]) -> None:
    wait = advisory_locks._wait

    def waited(place: str, name: str) -> None:
        note(place, name)
        wait(place, name)

    monkeypatch.setattr(advisory_locks, "_wait", waited)
