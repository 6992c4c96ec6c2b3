"""Settings of every pytest run, with Django or without: the shared tests of games, the number of examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar
from zlib import crc32

import pytest
from hypothesis import settings

Row = TypeVar("Row")

settings.register_profile("thorough", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=25)


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Load `--game`. Options such as `-p` are read too early: `.venv/bin/pytest` does not find `games` yet."""
    pluginmanager.import_plugin("games.testing.plugin")


def pytest_configure(config: pytest.Config) -> None:
    """Draw fewer examples where slow tests are left out; without deadline, because machines may be busy."""
    settings.load_profile("quick" if is_quick(config) else "thorough")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Try one row of a test that asks the database, where slow tests are left out."""
    if not is_quick(config):
        return
    rows = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and _asks_database(item):
            rows[item.parent, item.originalname].append(item)
    tried = {one_of(found, name) for (_, name), found in rows.items()}
    left_out = {item for found in rows.values() for item in found if item not in tried}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def one_of(rows: Sequence[Row], name: str) -> Row:
    """The row that quick runs try of the test of this name: always the same, but not the same of every test."""
    return rows[crc32(name.encode()) % len(rows)]


def _asks_database(item: pytest.Function) -> bool:
    return bool(item.get_closest_marker("django_db")) or "db" in item.fixturenames


def is_quick(config: pytest.Config) -> bool:
    """Say whether slow tests are left out, as `make test` does."""
    return "not slow" in config.getoption("markexpr")
