"""Regular expressions that count the characters they look at, under one bound for a whole mail or log line.

`with limited(STEPS):` starts the count; every search of a `Pattern` and every `spend` inside takes from it, and raises
`TooMuchWork` once it is used up. A step is about one character looked at. The cost of a single search is bounded by the
patterns themselves: `tests/hostile` derives texts that nearly match each of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

CALL = 40
"""Steps of a search in an empty text: the cost of the call itself."""


class TooMuchWork(Exception):
    """A text needs more steps than reading it is worth."""


class Steps:
    """The number of steps left for the text being read."""

    __slots__ = ("left",)

    def __init__(self, most: int) -> None:
        self.left = most


_steps: ContextVar[Steps | None] = ContextVar("steps", default=None)


@contextmanager
def limited(most: int) -> Iterator[Steps]:
    """Bound the steps of everything read inside; within another bound it takes from both."""
    outer = _steps.get()
    steps = Steps(most if outer is None else min(most, outer.left))
    began = steps.left
    token = _steps.set(steps)
    try:
        yield steps
    finally:
        _steps.reset(token)
        if outer is not None:
            outer.left -= began - steps.left


def spend(steps: int) -> None:
    """Take this many steps from the current bound, if any. Raises TooMuchWork."""
    bound = _steps.get()
    if bound is not None:
        bound.left -= steps
        if bound.left < 0:
            raise TooMuchWork


class Pattern:
    """A regular expression whose every use is counted; methods like those of `re.Pattern`.

    It is compiled when it is first used: to compile all of them took every process an eighth of its start.
    """

    def __init__(self, written: str, flags: int = 0) -> None:
        self._written = (written, flags)

    @cached_property
    def _re(self) -> re.Pattern[str]:
        return re.compile(*self._written)

    @property
    def pattern(self) -> str:
        return self._re.pattern

    @property
    def flags(self) -> int:
        return self._re.flags

    def match(self, text: str) -> re.Match[str] | None:
        spend(CALL + len(text))
        return self._re.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        spend(CALL + len(text))
        return self._re.fullmatch(text)

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        spend(CALL + len(text) - start)
        return self._re.search(text, start)

    def finditer(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        spend(CALL + len(text) - start)
        return self._re.finditer(text, start)

    def findall(self, text: str) -> list[Any]:
        """Every match, or its only group, as text; several groups as tuples."""
        spend(CALL + len(text))
        return self._re.findall(text)

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        spend(CALL + len(text))
        return self._re.sub(new, text)

    def split(self, text: str, maxsplit: int = 0) -> list[str]:
        spend(CALL + len(text))
        return self._re.split(text, maxsplit)
