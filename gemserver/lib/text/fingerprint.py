"""Recognises a text without keeping it, by keyed hashes of every three consecutive words."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice

from gemserver.lib.text.patterns import Pattern

SPAN = 3
"""Words in one hash: three, so that a guesser must guess all three at once."""

LEAST = 4
"""Words of the shortest stretch that is found: at least two hashes, so that chance finds none in a million texts."""

_HASH_BYTES = 2
_MOST_PLACES = 32
"""Places of one hash that are followed; a text that repeats itself more often is known by its first ones."""

_WORD = Pattern(r"\w+")
_LINK = Pattern(r"(?:https?://|mailto:)[^\s<>]{1,2000}", re.IGNORECASE)
_UNSHOWN = Pattern(r"<(head|style|script)\b.*?</\1>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_PICTURE = Pattern(r"<img\b[^>]*?\balt=\"([^\"]*)\"", re.IGNORECASE)
_TAG = Pattern(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Hashes of one or more texts; without the key they answer no question about the words.

    Mail clients wrap lines anew, put marks before them, change blanks, dashes and quotes, and add the targets of links.
    None of that matters, as only letters and digits count.
    """

    key: bytes
    hashes: tuple[bytes, ...]
    """In the order of the text."""

    @classmethod
    def of(cls, *texts: str, key: bytes = b"", most: int | None = None) -> Fingerprint:
        """The fingerprint of these texts, in this order; only the first `most` hashes. `key`: up to 64 bytes."""
        hashes = (each for text in texts for each in _hashes(words_of(text), key))
        return cls(key, tuple(islice(hashes, most)))

    @classmethod
    def load(cls, stored: bytes, *, key: bytes) -> Fingerprint:
        """Read the bytes that `dump` made under this key."""
        steps = range(0, len(stored), _HASH_BYTES)
        return cls(key, tuple(bytes(stored[at : at + _HASH_BYTES]) for at in steps))

    def dump(self) -> bytes:
        """The bytes to be stored, without the key; two for each word."""
        return b"".join(self.hashes)

    def stretches(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """The start and end of each run of words that stand in the texts in the same order.

        Each is as long as it can be at its place in the texts; several may overlap.
        """
        places = self._places()
        lengths: dict[int, int] = {}
        at = 0
        for at, each in enumerate(_hashes(words, self.key)):
            reached = {place: lengths.get(place - 1, 0) + 1 for place in places.get(each, ())}
            yield from _ended(at, lengths, reached)
            lengths = reached
        yield from _ended(at + 1, lengths, {})

    def _places(self) -> dict[bytes, list[int]]:
        places: dict[bytes, list[int]] = defaultdict(list)
        for place, each in enumerate(self.hashes):
            if len(places[each]) < _MOST_PLACES:
                places[each].append(place)
        return places


def words_of(text: str) -> list[str]:
    """Its words in the form in which they are compared: without case, punctuation and links."""
    return _WORD.findall(unicodedata.normalize("NFKC", _LINK.sub(" ", text)).casefold())


def shown_text(markup: str) -> str:
    """The text that a program shows of our own HTML, with the words for its pictures; for comparison only."""
    text = _PICTURE.sub(r" \1 <", _UNSHOWN.sub(" ", markup))
    return html.unescape(_TAG.sub(" ", text))


def _hashes(words: Sequence[str], key: bytes) -> Iterator[bytes]:
    keyed = blake2b(key=key, digest_size=_HASH_BYTES)
    for at in range(len(words) - SPAN + 1):
        each = keyed.copy()
        each.update(" ".join(words[at : at + SPAN]).encode("utf-8", "replace"))
        yield each.digest()


def _ended(at: int, lengths: dict[int, int], reached: dict[int, int]) -> Iterator[tuple[int, int]]:
    """The runs of hashes that reached the one before `at` and did not go on."""
    for place, length in lengths.items():
        if place + 1 not in reached and length + SPAN - 1 >= LEAST:
            yield at - length, at + SPAN - 1
