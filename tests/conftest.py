"""Players whom many tests know by name; and examples that are drawn take as long as a busy machine needs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation
from hypothesis import settings

from gemserver.accounts.models import User
from tests.builders import make_user

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def a_language_for_itself() -> Iterator[None]:
    """A page that a test has read in some language leaves the process in that language."""
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
