"""Families of phrases: `[open|start] [bidding|] [with|at]` are eight, and more with what says nothing in between.

They stand in files `phrases/families.LANGUAGE.txt` of the games, in the format of `phrasebook`. They are not spelt out,
for a file of a few lines has some ten thousand phrases, but looked for from word to word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

Option = tuple[str, ...]
"""Words of which one choice of a family consists."""
_MOST_PASSED = 2
"""Words that say nothing, between two choices."""


@dataclass(frozen=True, slots=True)
class Family:
    """Phrases with one meaning; each is made of one option of each slot, where an empty one leaves it out."""

    meaning: str
    slots: Sequence[frozenset[Option]]

    @property
    def words(self) -> Iterator[str]:
        return (word for slot in self.slots for option in slot for word in option)

    @property
    def first_words(self) -> Set[str]:
        """The words with which its phrases can begin."""
        found: set[str] = set()
        for slot in self.slots:
            found |= {option[0] for option in slot if option}
            if () not in slot:
                break
        return found

    def ends(self, words: Sequence[str], start: int, passed: Set[str]) -> Set[int]:
        """Where its phrases end that begin at this place; `passed`: words that may stand between two choices."""
        found = {start}
        for slot in self.slots:
            begins = found | {end for begin in found - {start} for end in _pass_over(words, begin, passed)}
            after = {end for begin in begins for end in _follow(slot, words, begin)}
            found = after | found if () in slot else after
            if not found:
                break
        return found - {start}


def _pass_over(words: Sequence[str], start: int, passed: Set[str]) -> Iterator[int]:
    """The places behind one word or more that say nothing."""
    for end in range(start + 1, min(start + _MOST_PASSED, len(words)) + 1):
        if words[end - 1] not in passed:
            return
        yield end


def _follow(slot: frozenset[Option], words: Sequence[str], start: int) -> Iterator[int]:
    for length in _lengths(slot):
        end = start + length
        if end <= len(words) and tuple(words[start:end]) in slot:
            yield end


@lru_cache(maxsize=2000)
def _lengths(slot: frozenset[Option]) -> Set[int]:
    """The numbers of words that its options have."""
    return {len(option) for option in slot if option}


def by_first_word(families: Iterable[Family]) -> Mapping[str, Sequence[Family]]:
    """The families by each word with which they can begin."""
    found: dict[str, list[Family]] = {}
    for family in families:
        for word in family.first_words:
            found.setdefault(word, []).append(family)
    return found
