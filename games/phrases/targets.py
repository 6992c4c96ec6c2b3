"""Finds what is up for auction in a line: *my nine for the little pearl* bids as *my nine* does.

A game names what is up with its moves (`Described.targets`). A line that names it is read without it, if it stands
behind *for* (the list `(for)`), or in a part of its own that says that it is wanted (`(wanted)`); elsewhere its name is
read as `TARGET`: *I leave the amethyst to Ben*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cache, lru_cache

from games.phrases.described import TARGET
from games.phrases.described_words import read_described, read_ways
from games.phrases.phrasebook import GAP, LANGUAGES, common_words, fold_word, fold_words

_LONGEST = 6
"""Words of a name."""
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*(?:['’](?:m|ll|d|ve)\b)?")
_FIRST_PERSON = re.compile(r"(?:i(?:['’]\w+)?|je|ich)$", re.IGNORECASE)
_PART = re.compile(r"[^,;:.!?…()]+")
_WORD_GAP = re.compile(r"[^\w-]+")


def without_target(text: str, package: str, names: Set[str]) -> Iterator[str]:
    """Yield the text without what is up, as far as it says what is bid for or wanted, and with `TARGET` for its name.

    >>> list(without_target("My 9 for the little pearl!", "games.jewellers", {"pearl", "small pearl"}))
    ['My 9!', 'My 9 for whatisup!']
    """
    spans = [*_find_spans(text, package, frozenset(names))]
    if not spans:
        return
    wanted = [part.span() for part in _PART.finditer(text) if _is_wanted(text, part.span(), spans)]
    bare = _cut(text, [*wanted, *_find_sought(text, spans)])
    if bare != text:
        yield bare
    yield _cut(text, spans, TARGET)


def _find_spans(text: str, package: str, names: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where names of what is up stand, the longest from left to right, with their articles."""
    known = frozenset(word for name in names for word in name.split())
    if not known or not _phrases_of(package, known).search(_WORD_GAP.sub(" ", fold_word(text))):
        return
    for part in _PART.finditer(text):
        words = [*_WORD.finditer(text, *part.span())]
        said = tuple(word[0] for word in words)
        place = 0
        while place < len(words):
            ends = range(min(place + _LONGEST, len(words)), place, -1)
            end = next(
                (
                    end
                    for end in ends
                    if not _FIRST_PERSON.match(said[end - 1])
                    and _begins_name(said[place:end], package, known, names)
                ),
                0,
            )
            if end:
                start = place
                while start and fold_word(said[start - 1]) in common_words("(determiner)"):
                    start -= 1
                yield words[start].start(), words[end - 1].end()
            place = max(end, place + 1)


def _begins_name(said: Sequence[str], package: str, known: frozenset[str], names: frozenset[str]) -> bool:
    """True if the words name what is up, and the first of them says a part of it."""
    meant = _names_meant(said, package, known) & names
    return bool(meant) and not meant <= _names_meant(said[1:], package, known)


@lru_cache(maxsize=100)
def _phrases_of(package: str, known: frozenset[str]) -> re.Pattern[str]:
    """Matches the phrases that mean one of these words, longer ones also within a word as in `Rubinkarte`."""
    said = known | {
        fold_word(phrase)
        for language in LANGUAGES
        for phrase, meanings in read_described(package, language).items()
        if any(not known.isdisjoint(meaning.split()) for meaning in meanings)
    }
    return re.compile(
        "|".join(rf"\b{re.escape(each)}\b" if len(each) < 3 else re.escape(each) for each in sorted(said))
    )


@lru_cache(maxsize=5000)
def _names_meant(said: Sequence[str], package: str, known: frozenset[str]) -> frozenset[str]:
    """The names that the words may mean."""
    if not said or any(map(str.isdecimal, said)):
        return frozenset()
    ways = read_ways(said, package, known)
    return frozenset(" ".join(way.words) for way in ways if not (way.is_act or way.is_strong))


def _find_sought(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where what is up stands behind *for*, with that word; or in *sind mir … wert*."""
    for start, end in spans:
        before, behind = [*_WORD.finditer(text, 0, start)], [*_WORD.finditer(text, end)][:1]
        for count in (3, 2, 1):
            said = before[-count:]
            sought = _fold(text[said[0].start() : start]) if len(said) == count else ""
            if sought in common_words("(for)"):
                yield said[0].start(), end
                break
            if behind and f"{sought} {GAP} {_fold(behind[0][0])}" in common_words("(for)"):
                yield said[0].start(), behind[0].end()
                break


def _is_wanted(text: str, part: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    """True for a part that says nothing but that what is up is wanted: *need those rubies*."""
    for start, end in spans:
        if part[0] <= start and end <= part[1]:
            around = _fold(text[part[0] : start]), _fold(text[end : part[1]])
            return around in _shapes()
    return False


def _fold(text: str) -> str:
    return fold_words(re.sub(r"['’]", " ", text))


@cache
def _shapes() -> Set[tuple[str, str]]:
    shapes = (fold_word(phrase).partition(GAP) for phrase in common_words("(wanted)"))
    return {(before.strip(), behind.strip()) for before, _, behind in shapes}


def _cut(text: str, spans: Sequence[tuple[int, int]], other: str = "") -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start].rstrip() + (f" {other} " if other else " ") + text[end:].lstrip()
    text = re.sub(r"\s+([,.!?…]|[:;](?=\s|$))", r"\1", text)
    return re.sub(r"(?:[,;:]\s*)+$|^[\s,;:.!]+|,(?=[,.!])", "", re.sub(r"\s+", " ", text)).strip()
