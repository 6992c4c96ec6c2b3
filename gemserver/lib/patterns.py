"""Regular expressions that count what they look at, and one bound on it for a whole mail or log line.

`with limited(STEPS):` opens the count for all that is read within; every search of a `Pattern` and every `spend`
takes from it, and what goes beyond raises `TooMuchWork`. A step is about one character looked at. What a single search
may cost is bounded by the patterns themselves: `tests/hostile` derives the texts that nearly match each of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

CALL = 40
"""Steps of a search in an empty text: what calling costs beside looking."""


class TooMuchWork(Exception):
    """A text asks for more steps than its reading is worth."""


class Steps:
    """How many steps are left for what is being read."""

    __slots__ = ("left",)

    def __init__(self, most: int) -> None:
        self.left = most


_steps: ContextVar[Steps | None] = ContextVar("steps", default=None)


@contextmanager
def limited(most: int) -> Iterator[Steps]:
    """Let what is read within take at most so many steps; within another bound it takes from both."""
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
    """Take so many steps from the bound that is open, if any. Raises TooMuchWork."""
    bound = _steps.get()
    if bound is not None:
        bound.left -= steps
        if bound.left < 0:
            raise TooMuchWork


class Pattern:
    """A regular expression over text whose every use is counted; methods as those of `re.Pattern`."""

    __slots__ = ("_re",)

    def __init__(self, written: str, flags: int = 0) -> None:
        self._re = re.compile(written, flags)

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
