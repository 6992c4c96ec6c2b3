"""Settings of every pytest run, with Django or without: the shared tests of games, the number of examples."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import settings

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
    """Try the first and the last row of a test that asks the database, where slow tests are left out."""
    if not is_quick(config):
        return
    rows = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and _asks_database(item):
            rows[item.parent, item.originalname].append(item)
    between = {item for found in rows.values() for item in found[1:-1]}
    config.hook.pytest_deselected(items=[item for item in items if item in between])
    items[:] = [item for item in items if item not in between]


def _asks_database(item: pytest.Function) -> bool:
    return bool(item.get_closest_marker("django_db")) or "db" in item.fixturenames


def is_quick(config: pytest.Config) -> bool:
    """Say whether slow tests are left out, as `make test` does."""
    return "not slow" in config.getoption("markexpr")
