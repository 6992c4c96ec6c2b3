"""No regular expression of the server or the games takes more than a bounded number of looks at each character.

See mail-requirements.md M8 and threat 11.
"""

from __future__ import annotations

import sys
import threading
from itertools import islice

import pytest

from tests.hostile.near_misses import texts
from tests.hostile.patterns import Known, find_patterns
from tests.hostile.steps import Matcher, TooMany

SIZES = (200, 800)
"""Characters of the shorter text; the second size is beyond the bounds of all classes such as `{1,190}`."""

TEXTS = 14
LOOKS = 250
"""Looks at one character: classes with a bound such as `{1,64}`, and tables of a hundred words, need some."""

GROWTH = 2.5
"""Factor by which the steps may grow for a text twice as long."""

OF_OWN_TEXTS = {
    "gemserver.lib.text.fingerprint._UNSHOWN": "HTML that we have written",
    "gemserver.lib.text.fingerprint._PICTURE": "HTML that we have written",
    "gemserver.site.mailroom.letters._MAILTO": "HTML that we have written",
    "gemserver.site.mailroom.letters._CID": "HTML that we have written",
    "gemserver.lib.web.safe_path._PARAMETER": "routes of our own addresses",
    "games.orders._ELSE": "a folded line: no blank follows another",
    "gemserver.mailgate.answering.rules_layout._EMPHASIS": "the rules of our own games",
    "games.gembatan.notation._AROUND_COMMA": "a move of at most 2000 characters",
}
"""Expressions that look at nothing from outside, or at lines that cannot be hostile to them."""

PARTS = 40
"""The expressions are tried in so many parts, as finding them takes seconds that every run would wait for."""


def cost(known: Known, text: str) -> int:
    """Steps; counting stops at the limit."""
    matcher = Matcher(known.written, known.flags, LOOKS * (len(text) + 100))
    (matcher.find_all if known.searches else matcher.match)(text)
    return matcher.steps


def too_slow(known: Known, most: int) -> str:
    """The first of so many texts that shows it is too slow; empty if there is none."""
    for before, piece, behind in islice(texts(known.written, known.flags), most):
        if all(grows(known, before, piece, behind, size) for size in SIZES):
            return f"{before!r} + n * {piece!r} + {behind!r}"
    return ""


def grows(known: Known, before: str, piece: str, behind: str, size: int) -> bool:
    """True if the text costs much more when it is twice as long, or too much at all."""
    short, long = (before + piece * max(1, each // len(piece)) + behind for each in (size, 2 * size))
    try:
        return cost(known, long) > GROWTH * cost(known, short) + 2 * size
    except TooMany:
        return True


def deeply(known: Known, most: int = TEXTS) -> str:
    """Like `too_slow`, with room for a call at each character."""
    found: list[str] = []
    before = sys.getrecursionlimit(), threading.stack_size(256 * 1024 * 1024)
    sys.setrecursionlimit(50_000)
    thread = threading.Thread(target=lambda: found.append(too_slow(known, most)))
    thread.start()
    thread.join()
    sys.setrecursionlimit(before[0])
    threading.stack_size(before[1])
    return found[0]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_a_text_twice_as_long_costs_about_twice_as_much(part: int) -> None:
    """18.9: an `Origin` of 8 kB took 0.6 s, a mail 219 s."""
    found = find_patterns()
    tried = [name for name in sorted(found)[part::PARTS] if name not in OF_OWN_TEXTS]
    assert {name: text for name in tried if (text := deeply(found[name]))} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "written",
    [
        r"((?:https?://|/)[^\s?'\"<>]*)\?[^\s'\"<>]+",
        r"-{3,} ?\S.{0,200}\S ?-{3,}$",
        r"virus\w*.{0,80}(?:avast|avg)",
        r"\s*,\s*",
        r"(?:a+)+$",
    ],
)
def test_the_search_finds_what_was_slow_once(written: str) -> None:
    """Earlier expressions, and a textbook case: without them the test above might see nothing at all."""
    assert deeply(Known("once", written, 0, searches=True))


@pytest.mark.slow
def test_all_parts_are_searched() -> None:
    patterns = find_patterns()
    folders = {name.split(".")[1] for name in patterns}
    assert {"lib", "mailgate", "record", "reading", "gembatan", "jewellers"} <= folders
    assert len(patterns) > 100
    assert patterns.keys() >= OF_OWN_TEXTS.keys()
