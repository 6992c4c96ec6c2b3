"""Whole bodies and pages composed of near-misses of every expression that reads mail."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from tests.hostile.near_misses import texts
from tests.hostile.patterns import find_patterns

READS_MAIL = ("gemserver.mailgate.re", "gemserver.mailgate.lines", "gemserver.lib.text.fingerprint")
WIDTHS = (30, 76, 390, 1990)
GIVEN = {
    "openers in every line": "x " + "On 1 " * 19,
    "marks on a letter": "a" + "\u0301\u0316" * 900,
    "marks on letters": "a\u0301" * 900,
    "nested brackets": "<" * 900 + ">" * 900,
    "blanks and a sign": " " * 1900 + "x",
    "a head without end": "From: a <a@b.c>\nSent: 3 March 2026 21:14\nx",
    "an attribution without end": "On Tue, 3 Mar 2026 at 21:14, Ana <a@b.c>",
    "names above addresses": "Ana Novak\n<a@b.c",
    "moves on a line": "-;" * 150,
}
"""Lines that were slow once, or that no single expression leads to."""


def lines(most: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Names, and lines for bodies: near-misses of one expression, and of several in a row."""
    yield from GIVEN.items()
    chance = random.Random(seed)
    found = [
        (known.name, before + piece * (chance.choice(WIDTHS) // len(piece) + 1) + behind)
        for known in find_patterns().values()
        if known.name.startswith(READS_MAIL)
        for before, piece, behind in islice(texts(known.written, known.flags, seed), 6)
    ]
    chance.shuffle(found)
    for number in range(most):
        name, line = found[number % len(found)]
        if number % 3 == 2:
            other, more = chance.choice(found)
            name, line = f"{name} and {other}", f"{line[:300]} {more[:300]}\n{line[:90]}"
        yield name, line


def body(line: str, size: int) -> str:
    """The line repeated up to this many characters, as lines."""
    return f"{line}\n" * (size // (len(line) + 1) + 1)


def page(line: str, size: int) -> str:
    """Like `body`, as HTML whose tags are never closed."""
    return f'<div class="{line[:60]}"><b style={line[:30]}>{line}' * (size // (len(line) + 100) + 1)
