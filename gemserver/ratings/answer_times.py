"""Times of answers in classes: what a median is read from, without keeping every answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta

_PER_DOUBLING = 4
"""Classes between a time and twice as much: a median is off by at most a tenth."""


def class_of(time: timedelta) -> str:
    """The class of this time, as the key of a JSON object.

    >>> class_of(timedelta(seconds=1)), class_of(timedelta(hours=1))
    ('0', '47')
    """
    return str(math.floor(_PER_DOUBLING * math.log2(max(1.0, time.total_seconds()))))


def merge(each: Iterable[Mapping[str, int]]) -> Counter[int]:
    """How many answers there are in each class, over several matches."""
    merged: Counter[int] = Counter()
    for times in each:
        for name, number in times.items():
            merged[int(name)] += number
    return merged


def median(times: Mapping[int, int]) -> timedelta | None:
    """The time that half of the answers took at most, near enough; None without answers.

    >>> round(median({47: 3, 60: 1}).total_seconds() / 60)
    63
    """
    left = sum(times.values()) / 2
    for number, count in sorted(times.items()):
        left -= count
        if count and left <= 0:
            return timedelta(seconds=2 ** ((number + 0.5) / _PER_DOUBLING))
    return None
