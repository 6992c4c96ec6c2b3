"""Migrations only add what the former version can live with: an upgrade puts back the code, never the data."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import (
    AddField,
    DeleteModel,
    RemoveField,
    RenameField,
    RenameModel,
    SeparateDatabaseAndState,
)
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED, ForeignKey

RELEASED = {
    "accounts": "0006_archive",
    "archive": "0001_initial",
    "clubs": "0002_candidates_news_and_mail",
    "events": "0002_deals",
    "inbox": "0004_partitions",
    "matches": "0010_partitions",
    "moderation": "0003_stuck_matches",
    "notify": "0003_partitions",
    "operating": "0002_failed_games",
    "puzzles": "0001_initial",
    "ratings": "0002_statistics",
    "study": "0004_what_if",
}
"""The last migrations of version 1.0.0; those behind them are of the next version."""


SUMS = Path(__file__).with_name("released_migrations.txt")
"""The released migrations, as `sha256sum` prints them; what is released is added when it is."""


def list_new() -> list[Migration]:
    migrations = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    ours = [each for (app, _), each in sorted(migrations.items()) if app in RELEASED]
    return [each for each in ours if each.name > RELEASED[each.app_label]]


def act_on_the_database(operations: list[Operation]) -> Iterator[Operation]:
    for operation in operations:
        if isinstance(operation, SeparateDatabaseAndState):
            yield from act_on_the_database(operation.database_operations)
        else:
            yield operation


def list_new_links() -> Iterator[str]:
    """Yield the foreign keys of the next version to tables of the released one that the database would enforce."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    before, now = loader.project_state(list(RELEASED.items())), loader.project_state()
    for key, model in now.models.items():
        if key[0] not in RELEASED:
            continue
        known = before.models[key].fields if key in before.models else {}
        for name in set(model.fields) - set(known):
            field = model.fields[name]
            if not isinstance(field, ForeignKey) or not field.db_constraint:
                continue
            app, _, target = str(field.remote_field.model).lower().partition(".")
            if (app, target) in before.models:
                yield f"{model.name}.{name}"


@pytest.mark.parametrize("line", SUMS.read_text().splitlines())
def test_a_released_migration_stays_to_the_letter_as_it_was(line: str) -> None:
    """Nor does a module move that it imports, so that every version can be reached from every earlier one."""
    digest, path = line.split()
    assert sha256((SUMS.parent.parent / path).read_bytes()).hexdigest() == digest


def test_all_released_migrations_have_their_sum() -> None:
    kept = {Path(line.split()[1]).stem for line in SUMS.read_text().splitlines()}
    assert {*RELEASED.values()} <= kept
    assert not {each.name for each in list_new()} & kept


def test_the_version_before_may_delete_what_only_new_tables_refer_to() -> None:
    """It erases accounts, and knows of no row that would have to go first."""
    assert list(list_new_links()) == []


@pytest.mark.parametrize("migration", list_new(), ids=str)
def test_the_version_before_runs_on_with_the_new_tables(migration: Migration) -> None:
    for operation in act_on_the_database(migration.operations):
        assert not isinstance(operation, DeleteModel | RemoveField | RenameField | RenameModel), operation
        if isinstance(operation, AddField):
            field = operation.field
            assert field.null or field.db_default is not NOT_PROVIDED, (
                f"{field.name}: the code before leaves it out"
            )
