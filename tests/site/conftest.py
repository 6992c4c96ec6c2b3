from __future__ import annotations

import pytest
from pytest_django import Settings


@pytest.fixture
def embedded(settings: Settings) -> Settings:
    """The server of one's own machine: one-click sign-in and mail room."""
    settings.EMBEDDED = True
    return settings
