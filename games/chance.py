"""Reproducible chance: SHA-256 in counter mode over a seed and a purpose (notation, "Chance").

>>> chance = Chance("example", "ply 1")
>>> [chance.below(6) for _ in range(8)]
[1, 5, 4, 0, 0, 0, 0, 4]
>>> cards = ["SR", "RE", "EA", "AT"]
>>> chance.shuffle(cards)
>>> cards
['AT', 'EA', 'SR', 'RE']
"""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence
from hashlib import sha256
from itertools import count
from struct import Struct
from typing import Any

NO_SEED = "0" * 64
"""The seed of later chance in a record that has a `Deal:` instead of a `Seed:`."""

_WORD_RANGE = 1 << 64
_READ_WORDS = Struct(">4Q").unpack


class Chance:
    """A stream of random numbers for one purpose.

    `seed` is any ASCII text (64 lower-case hex digits in a match); `label` is `deal` or `ply N`.
    Block i (from 0) is SHA-256 of `seed/label/i`, read as four big-endian 64-bit words.
    """

    __slots__ = ("_words",)

    def __init__(self, seed: str, label: str) -> None:
        self._words = _draw_words(f"{seed}/{label}/".encode("ascii"))

    def below(self, n: int) -> int:
        """Return a uniform integer in 0 … n-1; raises ValueError for n < 1."""
        if not 0 < n <= _WORD_RANGE:
            raise ValueError(f"below() takes 1 to 2**64, not {n}")
        limit = _WORD_RANGE - _WORD_RANGE % n
        while (word := next(self._words)) >= limit:
            pass
        return word % n

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle in place: Fisher–Yates from the last index down to index 1."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def _draw_words(prefix: bytes) -> Iterator[int]:
    for block in count():
        yield from _READ_WORDS(sha256(b"%b%d" % (prefix, block)).digest())
