from __future__ import annotations

import pytest
from pytest_django import Settings


@pytest.fixture
def embedded(settings: Settings) -> Settings:
    """Turn on the embedded server: one-click sign-in and mail room."""
    settings.EMBEDDED = True
    return settings
