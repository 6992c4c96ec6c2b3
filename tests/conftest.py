"""Players whom many tests know by name; and examples that are drawn take as long as a busy machine needs."""

from __future__ import annotations

import pytest
from hypothesis import settings

from gemserver.accounts.models import User
from tests.builders import make_user

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


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
