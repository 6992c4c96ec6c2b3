"""Does what tests/conftest.py does, for runs of these tests alone, without Django."""

from __future__ import annotations

import pytest

from tests.plugins import pytest_addoption, pytest_configure

__all__ = ["pytest_addoption", "pytest_configure"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to slow runs what lies between the first and the last way to set up a game."""
    from tests.games.playing import CASES, Case

    ways: dict[str, list[str]] = {}
    for case in CASES:
        ways.setdefault(case.slug, []).append(str(case))
    for item in items:
        case = getattr(item, "callspec", None) and item.callspec.params.get("case")  # type: ignore[attr-defined]
        if isinstance(case, Case) and str(case) in ways.get(case.slug, [])[1:-1]:
            item.add_marker("slow")
