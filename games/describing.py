"""Reads a move that is described: *the lapis card above the centre, red to the south*.

A game lists its legal moves with their *traits*: what may be said of each, in the words of a small vocabulary. Files
`phrases/described.LANGUAGE.txt` translate what people write into that vocabulary; they have the format of
`phrasebook`. A sentence describes a move if each of its words is known, if it can be cut into traits of that move
alone, and if these name every part of the move that must be named. It is certain if it does so in more than one way:
with a strong verb and a piece, or a piece and a place, and with no loose word. What is less is offered, never played.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import resources
from itertools import islice, permutations, product
from typing import TypeAlias

from games.phrasebook import LANGUAGES, common_phrases, fold_word, plain_word, read_file
from games.reading import lower

ACT, ARTICLE, POLITE, LOOSE, STRONG = "(act)", "(article)", "(polite)", "(loose)", "(strong)"
"""Stand for what says that something is done, for what shows that a piece is meant and no person, for what may stand
beside a move that is said with a verb alone, for what says nothing but is heard in other sentences too, and for verbs
that leave no doubt: *I put*, but not *goes*."""
NEXT_STEP = "+"
"""Stands in a description between two steps of a move."""
_LONGEST = 24
"""Words of a description; more cost seconds, and nobody says so much of a move."""
_LONGEST_PHRASE = 7
"""Words."""
_LONGEST_TRAIT = 8
"""Words of the vocabulary."""
_MOST_WAYS = 64
_MOST_MOVES = 5000
"""Where more are legal, none is described."""
_SHORTEST_PART = 3
"""Letters of a word that is written together with another."""
_SHORT_CODE = 2
"""Letters of a code that is one only in capitals: `GO`, `ET`."""
_NEGATION = "no"
_JOINTS = re.compile(r"[/+-]")

Traits: TypeAlias = dict[str, frozenset[str]]
"""Descriptions of a step in words of the vocabulary → the parts of the move that each of them names."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a move; most moves have one."""

    traits: Traits
    needs: frozenset[str]
    """The parts of it that must be named."""
    anywhere: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Words that may stand between the words of traits, and the parts that they name."""


@dataclass(frozen=True, slots=True)
class Described:
    """A legal move, in notation, with what may be said of it."""

    move: str
    steps: Sequence[Step]
    declines: bool = False
    """True beside which players say what they do not want: of a pass, of a card thrown away."""
    with_verb: int = 2
    """The traits that leave no doubt beside a strong verb; 0: none do."""
    alone: int = 0
    """The traits that leave no doubt without one; 0: none do."""


def in_any_order(*words: str) -> Iterator[str]:
    """The words in every order, as one trait each.

    >>> [*in_any_order("red", "north")]
    ['red north', 'north red']
    """
    return map(" ".join, permutations(words))


class Descriptions:
    """The moves of a position, as they are described."""

    def __init__(self, package: str, moves: Iterable[Described]) -> None:
        listed = [*islice(moves, _MOST_MOVES + 1)]
        self.package, self.moves = package, listed if len(listed) <= _MOST_MOVES else []
        self.known = frozenset(
            word
            for each in self.moves
            for step in each.steps
            for trait in (*step.traits, *step.anywhere)
            for word in trait.split()
        )
        """Every word of their traits."""

    @cached_property
    def phrases(self) -> Set[str]:
        """The words, folded, each of which may alone say a trait."""
        steps = [step for each in self.moves for step in each.steps]
        alone = {trait for step in steps for trait in (*step.traits, *step.anywhere)}
        return {
            fold_word(phrase)
            for language in LANGUAGES
            for phrase, meanings in read_described(self.package, language).items()
            if " " not in phrase and not alone.isdisjoint(meanings)
        }

    @cached_property
    def declining(self) -> Set[str]:
        """The moves beside which players say what they do not want."""
        return {each.move for each in self.moves if each.declines}

    def find(self, words: Sequence[str], *, is_certain: bool) -> Sequence[str]:
        """Return the moves that the words describe; `is_certain`: only those of which no doubt is left."""
        if len(words) > _LONGEST:
            return ()
        told = [way for way in self._read_ways(words) if self.known.union([NEXT_STEP]).issuperset(way.words)]
        return [
            *dict.fromkeys(
                each.move
                for each in self.moves
                if any(_is_told(each, way, is_certain=is_certain) for way in told)
            )
        ]

    def _read_ways(self, words: Sequence[str]) -> Iterator[_Way]:
        """The ways to say the words in the vocabulary, by the phrases of each language; none if one is unknown."""
        for language in LANGUAGES:
            read = _Reading(words, read_described(self.package, language), self.known).read()
            if read is not None:
                yield from dict.fromkeys(map(_Way.of, islice(product(*read), _MOST_WAYS)))


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to say a sentence in the vocabulary."""

    words: tuple[str, ...]
    is_act: bool
    """A phrase stands among them that says that something is done."""
    is_piece: bool
    """An article shows that a piece is meant."""
    is_certain: bool
    """No loose word stands among them."""
    is_strong: bool
    """One of the verbs leaves no doubt."""
    is_bare: bool
    """Nothing else stands beside the phrases with a meaning but what is said out of courtesy."""
    phrases: int
    """The phrases with a meaning."""

    @classmethod
    def of(cls, meanings: Sequence[str]) -> _Way:
        is_strong = any(meaning.endswith(STRONG) for meaning in meanings)
        meanings = [meaning.removesuffix(STRONG) for meaning in meanings]
        said = [meaning for meaning in meanings if meaning and meaning not in (ACT, ARTICLE, POLITE, LOOSE)]
        words = tuple(word for meaning in said for word in meaning.split())
        is_bare = all(each in said or each == POLITE for each in meanings)
        return cls(
            words, ACT in meanings, ARTICLE in meanings, LOOSE not in meanings, is_strong, is_bare, len(said)
        )


def _is_told(described: Described, way: _Way, *, is_certain: bool) -> bool:
    """True if the words describe the move; `is_certain`: and leave no doubt that it is one."""
    traits = _count_told(described.steps, way.words)
    if traits is None:
        return False
    if is_certain:
        enough = described.with_verb if way.is_strong else described.alone
        return way.is_certain and 0 < enough <= traits
    if not traits:
        return way.is_bare
    has_verb = way.is_act or any(word in step.anywhere for word in way.words for step in described.steps)
    is_number = all(map(str.isdecimal, way.words))
    return has_verb or (not is_number and (way.is_piece or way.phrases > 1))


def _count_told(steps: Sequence[Step], words: Sequence[str]) -> int | None:
    """The traits that the words tell of the steps, in order; None if they do not name all that must be named."""
    numbers = [*filter(str.isdecimal, words)]
    if len(numbers) != len({*numbers}):
        return None
    parts: list[list[str]] = [[]]
    for word in words:
        if word == NEXT_STEP:
            parts.append([])
        else:
            parts[-1].append(word)
    told = [_count_traits(step, said) for step, said in zip(steps, parts, strict=False)]
    return None if len(parts) != len(steps) or None in told else sum(filter(None, told))


def _count_traits(step: Step, said: Sequence[str]) -> int | None:
    """The most traits of the step into which the words can be cut; None if they do not name all that must be named."""
    begun = frozenset[str]().union(*(step.anywhere[word] for word in said if word in step.anywhere))
    said = [word for word in said if word not in step.anywhere]
    named: list[dict[frozenset[str], int]] = [{begun: 0}, *({} for _ in said)]
    for start, before in enumerate(named[:-1]):
        for end in range(start + 1, min(start + _LONGEST_TRAIT, len(said)) + 1):
            parts = step.traits.get(" ".join(said[start:end]))
            if parts is not None:
                counts = said[start] != _NEGATION  # what is lacking names nothing for certain
                for others, count in before.items():
                    both = parts | others
                    named[end][both] = max(count + counts, named[end].get(both, 0))
    return max((count for parts, count in named[-1].items() if step.needs <= parts), default=None)


class _Reading:
    """Words that are read from left to right, the longest phrase first."""

    def __init__(self, words: Sequence[str], book: Mapping[str, tuple[str, ...]], known: Set[str]) -> None:
        self.words, self.book, self.known = words, book, known
        self.plain = [plain_word(word) for word in words]

    def read(self) -> list[tuple[str, ...]] | None:
        """The meanings of each phrase in turn; None if a word is in no phrase and no code."""
        place, found = 0, []
        while place < len(self.words):
            end, meanings = self._read_next(place)
            if not meanings:
                return None
            found.append(meanings)
            place = end
        return found

    def _read_next(self, place: int) -> tuple[int, tuple[str, ...]]:
        word, plain = self.words[place], self.plain[place]
        if len(word) > 1 and word.isupper() and lower(word) in self.known:  # `BY` is no *by*
            return place + 1, (lower(word),)
        for end in range(min(place + _LONGEST_PHRASE, len(self.words)), place, -1):
            if meanings := self.book.get(" ".join(self.plain[place:end])):
                return end, meanings
        return place + 1, self._read_word(word, plain)

    def _read_word(self, word: str, plain: str) -> tuple[str, ...]:
        """The meaning of one word that is no phrase: words with hyphens between, or a code as it stands."""
        parts = [self._look_up(part) for part in _JOINTS.split(plain) if part]
        if len(parts) > 1 and all(parts):
            return tuple(" ".join(filter(None, way)) for way in islice(product(*parts), _MOST_WAYS))
        if compound := self._read_compound(plain):
            return compound
        is_short = plain.isalpha() and len(word) <= _SHORT_CODE
        return (lower(word),) if lower(word) in self.known and not is_short else ()

    def _look_up(self, word: str) -> tuple[str, ...]:
        return self.book.get(word) or ((word,) if word.isdecimal() else ())

    def _read_compound(self, plain: str) -> tuple[str, ...]:
        """The meanings of two words written as one, as German does: `rotgrün`, `Smaragdkarte`."""
        for cut in range(_SHORTEST_PART, len(plain) - _SHORTEST_PART + 1):
            first, second = self.book.get(plain[:cut], ()), self.book.get(plain[cut:], ())
            if any(first) and second:
                return tuple(" ".join(filter(None, way)) for way in product(filter(None, first), second))
        return ()


@lru_cache(maxsize=50)
def read_described(package: str, language: str) -> Mapping[str, tuple[str, ...]]:
    """The phrases of a language, each with the words of the vocabulary that it may mean; an empty one says nothing."""
    found: dict[str, tuple[str, ...]] = {}
    tables = (
        read_file(resources.files(each), f"described.{language}", language) for each in ("games", package)
    )
    numbers = ((word, phrases) for word, phrases in common_phrases(language).items() if word.isdecimal())
    lines = [*numbers, *(line for table in tables for line in table)]
    strong = {phrase for word, phrases in lines if word == STRONG for phrase in phrases}
    for word, phrases in lines:
        meaning = "" if word in ("(nothing)", STRONG) else word
        for phrase in phrases:
            told = f"{meaning or ACT}{STRONG}" if phrase in strong else meaning
            found[phrase] = tuple(dict.fromkeys((*found.get(phrase, ()), told)))
    return found
