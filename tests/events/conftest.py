"""The organiser whose events are played."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from tests.builders import make_user


@pytest.fixture
def organiser() -> User:
    return make_user("olga")
