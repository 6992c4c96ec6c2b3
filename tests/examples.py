"""Examples that Hypothesis draws take as long as a busy machine needs; `make test` draws fewer of them."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("thorough", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=25)


def pytest_configure(config: pytest.Config) -> None:
    is_quick = "not slow" in config.getoption("markexpr")
    settings.load_profile("quick" if is_quick else "thorough")
