"""Says a sentence in the words with which games describe their moves, by the phrases of each language.

Files `phrases/described.LANGUAGE.txt` translate what people write; they have the format of `phrasebook`.
A line `let(strong): …` has phrases that are strong verbs for this meaning alone. `(with): auctions` adds what several
games share, in `described.auctions.LANGUAGE.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import islice, product

from games.phrases.phrasebook import (
    ASIDE,
    LANGUAGES,
    WITH,
    common_phrases,
    common_words,
    plain_word,
    read_file,
    read_foreign_gems,
)
from games.reading import lower

ACT, ARTICLE, POLITE, LOOSE, STRONG, _CODE = "(act)", "(article)", "(polite)", "(loose)", "(strong)", "(code)"
"""Stand for what says that something is done, for what shows that a piece is meant and no person, for what may stand
beside a move that is said with a verb alone, for what says nothing but is heard in other sentences too, and for verbs
that leave no doubt: *I put*, but not *goes*; for a code, which no other sentence has."""
OTHER = "(other)"
"""Stands for what says something else, though its words may be said of a move: *back to the start*."""
ADVERB = "(adverb)"
"""Stands for what says nothing beside a strong verb."""
_LONGEST_PHRASE = 8
"""Words."""
_MOST_WAYS = 64
_SHORTEST_PART = 3
"""Letters of a word that is written together with another."""
_SHORT_CODE = 3
"""Letters of a code that may be a word, and is none in capitals: `GO`, `ET`, `POP`."""
_LONG_CODE = 3
"""Signs of a code that is no other word: `rrbg`, `R-B-`, `0,1`."""
_WORDS = common_words("(word)")
_JOINTS = re.compile(r"[/+-]")


@dataclass(frozen=True, slots=True)
class Way:
    """A way to say a sentence in the vocabulary."""

    words: tuple[str, ...] = ()
    is_act: bool = False
    """A phrase stands among them that says that something is done."""
    is_piece: bool = False
    """An article shows that a piece is meant."""
    is_coded: bool = False
    """A code stands among them that is no word: `rrbg`, `R-B-`, `0,1`."""
    is_certain: bool = True
    """No loose word stands among them."""
    is_strong: bool = False
    """One of the verbs leaves no doubt."""
    is_bare: bool = True
    """Nothing else stands beside the phrases with a meaning but what is said out of courtesy."""
    phrases: int = 0
    """The phrases with a meaning."""
    has_adverb: bool = False
    """A word stands among them that says nothing beside a strong verb, and may be astonished without one."""

    def then(self, meaning: str) -> Way:
        """Go on with the meaning of the next phrase."""
        said = meaning.removesuffix(STRONG).removesuffix(_CODE)
        is_told = said not in ("", ACT, ARTICLE, POLITE, LOOSE, ADVERB)
        return Way(
            (*self.words, *said.split()) if is_told else self.words,
            self.is_act or said == ACT,
            self.is_piece or said == ARTICLE,
            self.is_coded or meaning.endswith(_CODE),
            self.is_certain and said != LOOSE,
            self.is_strong or meaning.endswith(STRONG),
            self.is_bare and (is_told or said in (POLITE, ADVERB)),
            self.phrases + is_told,
            self.has_adverb or said == ADVERB,
        )


def read_ways(words: Sequence[str], package: str, known: frozenset[str]) -> Iterator[Way]:
    """Yield the ways to say the words in the `known` words of a game; none if one is in no phrase and no code."""
    for language in LANGUAGES:
        ways: Iterable[Way] = [Way()]
        for meanings in _Reading(words, package, language, known).read():
            meant = [each for each in meanings if known.issuperset(Way().then(each).words)]
            ways = dict.fromkeys(islice((way.then(each) for way in ways for each in meant), _MOST_WAYS))
        yield from ways


class _Reading:
    """Words that are read from left to right, the longest phrase first that is said of a move of the position."""

    def __init__(self, words: Sequence[str], package: str, language: str, known: frozenset[str]) -> None:
        book = read_described(package, language)
        self.words, self.package, self.book, self.known = words, package, book, known
        self.plain = [plain_word(word) for word in words]

    def read(self) -> Iterator[tuple[str, ...]]:
        """Yield the meanings of each phrase in turn, until a word is in no phrase and no code: it has no meaning."""
        place = 0
        while place < len(self.words):
            place, meanings = self._read_next(place)
            yield meanings
            if not meanings:
                return

    def _read_next(self, place: int) -> tuple[int, tuple[str, ...]]:
        word, plain = self.words[place], self.plain[place]
        if len(word) > 1 and word.isupper() and lower(word) in self.known:  # `BY` is no *by*
            return place + 1, self._read_code(word)
        longest: tuple[int, tuple[str, ...]] = (0, ())
        for end in range(min(place + _LONGEST_PHRASE, len(self.words)), place, -1):
            if meanings := self.book.get(" ".join(self.plain[place:end])):
                if OTHER in meanings or any(
                    self.known.issuperset(Way().then(each).words) for each in meanings
                ):
                    return end, meanings
                longest = longest if longest[0] else (end, meanings)
        if longest[0]:
            return longest
        return place + 1, self._read_word(word, plain)

    def _read_word(self, word: str, plain: str) -> tuple[str, ...]:
        """The meaning of one word that is no phrase: words with hyphens between, or a code as it stands."""
        parts = [self._look_up(part) for part in _JOINTS.split(plain) if part]
        if len(parts) > 1 and all(parts):
            return tuple(" ".join(filter(None, way)) for way in islice(product(*parts), _MOST_WAYS))
        if compound := self._read_compound(plain):
            return compound
        is_short = plain.isalpha() and len(word) <= _SHORT_CODE and plain in _WORDS
        return self._read_code(word) if lower(word) in self.known and not is_short else ()

    def _read_code(self, word: str) -> tuple[str, ...]:
        return (f"{lower(word)}{_CODE}" if is_long_code(word, self.package) else lower(word),)

    def _look_up(self, word: str) -> tuple[str, ...]:
        return self.book.get(word) or ((word,) if word.isdecimal() else ())

    def _read_compound(self, plain: str) -> tuple[str, ...]:
        """The meanings of two words written as one, as German does: `rotgrün`, `Smaragdkarte`."""
        for cut in range(_SHORTEST_PART, len(plain) - _SHORTEST_PART + 1):
            first, second = self.book.get(plain[:cut], ()), self.book.get(plain[cut:], ())
            if any(first) and second:
                return tuple(" ".join(filter(None, way)) for way in product(filter(None, first), second))
        return ()


def is_long_code(word: str, package: str) -> bool:
    """True for a word that is no other one, if it is a code: `rrbg`, `R-B-`, but not `ET`, nor the name of a gem."""
    return len(word) >= _LONG_CODE and not word.isdecimal() and lower(word) not in list_vocabulary(package)


@lru_cache(maxsize=50)
def read_described(package: str, language: str) -> Mapping[str, tuple[str, ...]]:
    """The phrases of a language, each with the words of the vocabulary that it may mean; an empty one says nothing."""
    found: dict[str, tuple[str, ...]] = {}
    tables = [[*_read_table(each, language)] for each in ("games", package)]
    foreign = read_foreign_gems(resources.files("games"), "described.{}", language)
    numbers = ((word, phrases) for word, phrases in common_phrases(language).items() if word.isdecimal())
    told_here = {
        phrase for table in tables for word, phrases in table if word[0] != "(" for phrase in phrases
    }
    asides = tuple(phrase for phrase in common_phrases(language).get(ASIDE, ()) if phrase not in told_here)
    adverbs = common_phrases(language).get(ADVERB, ())
    lines = [
        *numbers,
        (POLITE, asides),
        (ADVERB, adverbs),
        *(line for table in tables for line in table),
        *foreign,
    ]
    strong = {phrase for word, phrases in lines if word == STRONG for phrase in phrases}
    for word, phrases in lines:
        meaning = "" if word == "(nothing)" else word
        for phrase in phrases if word != STRONG else ():
            told = f"{(meaning or ACT).removesuffix(STRONG)}{STRONG}" if phrase in strong else meaning
            found[phrase] = tuple(dict.fromkeys((*found.get(phrase, ()), told)))
    return dict.fromkeys(strong, (f"{ACT}{STRONG}",)) | found


def _read_table(package: str, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lines of a package, and those that it shares with other games, which it names behind `(with)`."""
    for word, phrases in read_file(resources.files(package), f"described.{language}", language):
        if word != WITH:
            yield word, phrases
        for name in phrases if word == WITH else ():
            yield from read_file(resources.files("games"), f"described.{name}.{language}", language)


@lru_cache(maxsize=20)
def list_vocabulary(package: str) -> frozenset[str]:
    """The words that the phrases of any language mean; what a game says besides are its codes."""
    books = (read_described(package, language) for language in LANGUAGES)
    return frozenset(
        word for book in books for meanings in book.values() for each in meanings for word in each.split()
    )
