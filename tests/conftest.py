"""Players whom many tests know by name."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from tests.builders import make_user


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
