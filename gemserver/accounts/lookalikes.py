"""The letters that a name is taken for, whatever letters it is written in: *аха* in Cyrillic reads as *axa*."""

from __future__ import annotations

import functools
import unicodedata

from confusable_homoglyphs.utils import load


def look_of(name: str) -> str:
    """Write a name in the letters that it looks like; two names of one look pass for each other.

    Of letters that look alike each becomes the same one, then case is folded: the skeleton of UTS #39, section 4.

    >>> look_of("Ilona") == look_of("llona") == look_of("I1ona")
    True
    """
    letters = _read_letters()
    parts = unicodedata.normalize("NFD", name)
    return "".join(letters.get(sign, sign) for sign in parts).casefold()


@functools.cache
def _read_letters() -> dict[str, str]:
    """The letter or letters that each letter or digit looks like, from Unicode's table; the others look like none."""
    table: dict[str, list[dict[str, str]]] = load("confusables.json")
    alike = {sign: [pair["c"] for pair in pairs] for sign, pairs in table.items()}
    return {
        sign: _choose(sign, others, alike)
        for sign, others in alike.items()
        if len(sign) == 1 and sign.isalnum()
    }


def _choose(sign: str, others: list[str], alike: dict[str, list[str]]) -> str:
    """The one that all of a group share: the table names it for each other one, and all of those for it."""
    if len(others) > 1:
        return sign
    return others[0] if len(alike[others[0]]) > 1 else min(sign, others[0])
