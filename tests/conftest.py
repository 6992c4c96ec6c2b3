"""Players that many tests use by name, and what holds for every test."""

from __future__ import annotations

import gc
import os
import random
import secrets
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import translation

from games import analysis, bots
from games.bots import choose
from gemserver.accounts.models import User
from tests.builders import make_user
from tests.lock_watch import rows_are_locked_in_order
from tests.migrated_database import (
    django_db_keepdb,
    django_db_modify_db_settings,
    django_db_setup,
    its_turn,
)
from tests.plugins import is_quick, pytest_addoption, pytest_collection_modifyitems, pytest_configure
from tests.quick import IS_LONG
from tests.sparing_painter import paint_some_of_what_is_drawn, paint_sparingly

__all__ = [
    "django_db_keepdb",
    "django_db_modify_db_settings",
    "django_db_setup",
    "its_turn",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "rows_are_locked_in_order",
]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what asks for PostgreSQL where there is SQLite."""
    if item.get_closest_marker("postgresql") and connection.vendor != "postgresql":
        pytest.skip("SQLite has nothing of the kind; `make postgresql-tests` runs it")


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Look for no garbage while tests are collected, which stay to the end: a quarter of what collecting takes."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Let the garbage collector pass over modules and tests: 5 to 10 percent of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(autouse=True)
def a_language_for_itself() -> Iterator[None]:
    """Reset the language, because a page read in some language leaves the process in it."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def counts_begin_anew() -> None:
    """Forget what the test before has used of daily limits: its players had the same primary keys."""
    cache.clear()


@pytest.fixture(autouse=True)
def the_same_chance(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same deals in every run of a test, so that what fails once fails again; SEED=7 draws others."""
    chance = random.Random(f"{os.environ.get('SEED', '')} {request.node.nodeid}")
    monkeypatch.setattr(secrets, "token_bytes", lambda nbytes=32: chance.randbytes(nbytes))


@pytest.fixture(autouse=True)
def few_boards_are_painted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Save the tenth of the time that boards in mails take, except where a test looks at them.

    The quick run draws few of them; others draw all, for every position has a drawing of its own to fail, and paint
    some. `make long` paints all.
    """
    if IS_LONG or "pictures" in request.keywords:
        return
    if is_quick(request.config):
        paint_sparingly(monkeypatch)
    else:
        paint_some_of_what_is_drawn(monkeypatch)


@pytest.fixture
def guessing_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bots play at random, where it takes long to think and does not matter how well they play."""
    monkeypatch.setattr(bots, "choose", lambda _level, *arguments: choose("random", *arguments))


@pytest.fixture
def brief_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bots compare moves in a few positions only, where it does not matter what they advise."""
    monkeypatch.setattr(bots, "count_simulations", lambda *_: 4)
    monkeypatch.setattr(analysis, "count_simulations", lambda *_: 4)
    monkeypatch.setattr(analysis, "ADVICE_LEAST", 4)


@pytest.fixture
def brief_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bots look but briefly at the moves of a match that is over."""
    monkeypatch.setattr("games.analysis.EXPECTING", 2)
    monkeypatch.setattr("games.analysis.REVIEW_SIMULATIONS", 2)


@pytest.fixture
def ana() -> User:
    return make_user("ana")


@pytest.fixture
def ben() -> User:
    return make_user("ben")


@pytest.fixture
def players() -> list[User]:
    """Ana, Ben and Cy."""
    return [make_user(name) for name in ("ana", "ben", "cy")]
