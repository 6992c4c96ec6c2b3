"""Players that many tests use by name, and what holds for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation

from gemserver.accounts.models import User
from tests.builders import make_user
from tests.examples import pytest_configure

__all__ = ["pytest_configure"]


@pytest.fixture(autouse=True)
def a_language_for_itself() -> Iterator[None]:
    """Reset the language, because a page read in some language leaves the process in it."""
    yield
    translation.deactivate()


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
