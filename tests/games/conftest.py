"""What tests/conftest.py does for all tests, for these when they are run by themselves, without Django."""

from __future__ import annotations

from tests.plugins import pytest_addoption, pytest_configure

__all__ = ["pytest_addoption", "pytest_configure"]
