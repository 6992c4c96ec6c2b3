"""Settings of every pytest run, with Django or without: the shared tests of games, the number of examples."""

from __future__ import annotations

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


def is_quick(config: pytest.Config) -> bool:
    """Say whether slow tests are left out, as `make test` does."""
    return "not slow" in config.getoption("markexpr")
