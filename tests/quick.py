"""How much is tried: little by `make test`, every case by `make check` and CI, all at full length by `make long`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, TypeVar

import pytest

IS_LONG = bool(os.environ.get("LONG"))
"""True for `make long`, which takes hours."""

long = pytest.mark.skipif(not IS_LONG, reason="takes minutes; `make long` runs it")

Case = TypeVar("Case")


def size(usual: int, whole: int) -> int:
    """The number of repetitions, requests or matches: the whole one for `make long` alone."""
    return whole if IS_LONG else usual


def some(cases: Sequence[Case], one_in: int, turn: int = 0) -> Sequence[Case]:
    """One in so many cases, others from turn to turn; for `make long` all of them."""
    return cases if IS_LONG else cases[turn % one_in :: one_in]


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
