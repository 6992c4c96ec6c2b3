"""Does what tests/conftest.py does, for runs of these tests alone, without Django."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.plugins import one_of, pytest_addoption, pytest_configure

__all__ = ["pytest_addoption", "pytest_configure"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try one way to set up each game in quick runs; the others are `slow`."""
    from tests.games.playing import Case

    ways: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and (spec := getattr(item, "callspec", None)):
            case = spec.params.get("case")
            if isinstance(case, Case):
                others = {name: value for name, value in spec.params.items() if name != "case"}
                ways[f"{item.originalname} {others}", case.slug].append(item)
    for (test, game), found in ways.items():
        tried = one_of(found, f"{test} {game}")
        for item in found:
            if item is not tried:
                item.add_marker("slow")
