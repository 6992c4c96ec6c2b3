"""The examples in the docstrings of `games` are true."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import games

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(games.__path__, "games.")
    if not module.name.endswith("__main__") and ".conformance" not in module.name
)
WITH_EXAMPLES = (
    "chance",
    "contract",
    "course",
    "deal",
    "foresight",
    "hidden",
    "match",
    "orders",
    "plies",
    "reading",
    "record",
    "replay",
    "verify",
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_modules_that_programs_use_have_examples(name: str) -> None:
    """Readers of one of these find a call to copy."""
    found = doctest.DocTestFinder().find(import_module(f"games.{name}"))
    assert any(each.examples for each in found)
