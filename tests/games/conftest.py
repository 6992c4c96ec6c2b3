"""What tests/conftest.py does for all tests, for these when they are run by themselves, without Django."""

from __future__ import annotations

from tests.examples import pytest_configure

__all__ = ["pytest_configure"]
