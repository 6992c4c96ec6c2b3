"""Does what tests/conftest.py does, for runs of these tests alone, without Django."""

from __future__ import annotations

from tests.plugins import pytest_addoption, pytest_configure

__all__ = ["pytest_addoption", "pytest_configure"]
