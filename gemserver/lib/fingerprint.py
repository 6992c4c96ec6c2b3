"""Recognising a text again without keeping it: keyed hashes of every three words that follow each other in it."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from gemserver.lib.patterns import Pattern

SPAN = 3
"""Words in one hash: no fewer, so that whoever guesses must guess them together."""

LEAST = 4
"""Words of a stretch that is found: two hashes at least, so that chance finds none in a million texts."""

_HASH_BYTES = 2
_MOST_PLACES = 32
"""Places of one hash that are followed; a text that says the same more often is known by its first ones."""

_WORD = Pattern(r"\w+")
_LINK = Pattern(r"(?:https?://|mailto:)[^\s<>]{1,2000}", re.IGNORECASE)
_UNSHOWN = Pattern(r"<(head|style|script)\b.*?</\1>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_PICTURE = Pattern(r"<img\b[^>]*?\balt=\"([^\"]*)\"", re.IGNORECASE)
_TAG = Pattern(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is kept of one or more texts; without the key it answers no question about their words.

    Clients wrap lines anew, put marks before them, change blanks, dashes and quotes, and add the targets of links:
    none of that matters, as only letters and digits count.
    """

    key: bytes
    hashes: tuple[bytes, ...]
    """In the order of the text."""

    @classmethod
    def of(cls, *texts: str, key: bytes = b"", most: int | None = None) -> Fingerprint:
        """Of these texts, one behind the other; of long ones only the first `most` hashes. `key`: up to 64 bytes."""
        hashes = [each for text in texts for each in _hashes(words_of(text), key)]
        return cls(key, tuple(hashes[:most]))

    @classmethod
    def load(cls, stored: bytes, *, key: bytes) -> Fingerprint:
        """From the bytes that `dump` made under this key."""
        steps = range(0, len(stored), _HASH_BYTES)
        return cls(key, tuple(bytes(stored[at : at + _HASH_BYTES]) for at in steps))

    def dump(self) -> bytes:
        """To be stored, without the key; two bytes for each word."""
        return b"".join(self.hashes)

    def stretches(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """First and behind-last position of each row of words that follow each other so in the texts as well.

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
    """Its words as they are compared: without case, punctuation and links."""
    return _WORD.findall(unicodedata.normalize("NFKC", _LINK.sub(" ", text)).casefold())


def shown_text(markup: str) -> str:
    """What a program shows of HTML of our own, the words for its pictures included; for comparison only."""
    text = _PICTURE.sub(r" \1 <", _UNSHOWN.sub(" ", markup))
    return html.unescape(_TAG.sub(" ", text))


def _hashes(words: Sequence[str], key: bytes) -> Iterator[bytes]:
    for at in range(len(words) - SPAN + 1):
        text = " ".join(words[at : at + SPAN]).encode("utf-8", "replace")
        yield blake2b(text, key=key, digest_size=_HASH_BYTES).digest()


def _ended(at: int, lengths: dict[int, int], reached: dict[int, int]) -> Iterator[tuple[int, int]]:
    """The rows of hashes that went up to the one before `at` and did not go on."""
    for place, length in lengths.items():
        if place + 1 not in reached and length + SPAN - 1 >= LEAST:
            yield at - length, at + SPAN - 1
