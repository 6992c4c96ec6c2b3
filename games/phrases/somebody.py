"""Hides the names of players in a line, so that a pattern about players is compiled once and not for every table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

SOMEBODY = "[\ua000-\ua48c]"
"""Matches a hidden name: a letter of the Yi script, in which no game and no language here is written."""
_FIRST, _MOST = 0xA000, 1000


def hide_names(text: str, names: Iterable[str]) -> tuple[str, Callable[[str], str]]:
    """The text with one letter for each name of a player, and a function that puts the names back into any part of it.

    A name with a genitive keeps its *s*. A line in which such letters stand already is left as it is.

    >>> hidden, show = hide_names("I'll top Cys 15, Eve", ["Cy", "Eve"])
    >>> re.sub(SOMEBODY, "…", hidden), show(hidden)
    ("I'll top …s 15, …", "I'll top Cys 15, Eve")
    """
    ways = any_of(names)
    if not ways or re.search(SOMEBODY, text):
        return text, str
    found: list[str] = []

    def hide(name: re.Match[str]) -> str:
        found.append(name[0])
        return chr(_FIRST + (len(found) - 1) % _MOST)

    def show(part: str) -> str:
        return re.sub(SOMEBODY, lambda letter: found[ord(letter[0]) - _FIRST], part)

    return re.sub(rf"(?<!\w)(?:{ways})(?=s?(?!\w))", hide, text, flags=re.IGNORECASE), show


def any_of(phrases: Iterable[str]) -> str:
    """The pattern of any of the phrases, with a blank or an apostrophe where they have a blank."""
    ways = (re.escape(phrase).replace("\\ ", "[ '’]") for phrase in sorted(phrases, key=len, reverse=True))
    return "|".join(ways)
