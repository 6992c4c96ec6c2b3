"""Picks the few of many alike cases that `make test` tries; `make check` tries all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest


def first(quick: int, cases: Iterable[Any]) -> list[Any]:
    """The cases; those behind the first ones are `slow`. Each has its own values as a tuple, or is one value."""
    return [case if number < quick else _slow(case) for number, case in enumerate(cases)]


def one_in(step: int, cases: Iterable[Any]) -> list[Any]:
    """The cases; all but one in `step` are `slow`."""
    return [_slow(case) if number % step else case for number, case in enumerate(cases)]


def crossed(*sides: Sequence[Any]) -> list[Any]:
    """Every combination; the quick ones are as few as show each value once, the others are `slow`.

    >>> crossed("ab", "xyz")  # quick: ax, by, az
    """
    quick = {tuple(number % len(side) for side in sides) for number in range(max(map(len, sides)))}
    return [
        values if places in quick else _slow(values)
        for places, values in zip(
            product(*(range(len(side)) for side in sides)), product(*sides), strict=True
        )
    ]


def _slow(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)
