"""Mends a slip of the pen: *psas*, *smal*, *jepasse*, *ame thyst*; only where no other word can be meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from games.contract import Game
from games.phrases.phrasebook import GAP, LANGUAGES, common_words, plain_word, read_phrasebook
from games.phrases.words import CODE, WORDS
from games.reading import lower

_MOST_UNKNOWN = 3
"""Unknown words of a line, one of which may be a slip and the others codes."""
_SHORTEST_SLIP = 3
"""Letters of a word in which a slip is seen."""
_LONG_ENOUGH = 6
"""Letters of a verb that no other word resembles by chance."""
_UNMISTAKABLE = 7
"""Letters of any word that none resembles by chance: `amythest`, `améthiste`."""
_PLACE = re.compile(r"[a-g][1-9]|-?\d+,-?\d+")
_WITH_PLACE = 4
"""Words of a line with a place, at least, in which a slip leaves no doubt: `plase bobo f1 N`."""
_VOWELS = re.compile("[aeiouyäöüàâéèêëîïôùû]")
_NO_SLIPS = WORDS | common_words("(no slip)")


def is_known(game: Game, word: str) -> bool:
    """True for a plain word of any phrase."""
    return any(word in read_phrasebook(game.package, language).words for language in LANGUAGES)


def _says_more(game: Game, word: str, verbs: Set[str]) -> bool:
    """True for a plain word that says more of a move than its verb, or that nobody knows."""
    books = [read_phrasebook(game.package, language) for language in LANGUAGES]
    meant = {each for book in books for each in book.meanings.get(word, ())}
    return not meant - verbs <= {""} or not is_known(game, word)


def mend_slip(
    game: Game,
    words: Sequence[str],
    meant: Iterable[str],
    *,
    sure: Set[str] | None = None,
    verbs: Set[str] = frozenset(),
) -> Iterator[list[str]]:
    """The words with one of them mended that misses a word by a letter; those that any language knows stay.

    `meant`: words of the notation whose phrases are looked at. Where `sure` is given, only slips that hardly make
    another word are mended: two letters changed over or one doubled, any slip in a long word unless only `verbs` stand
    beside it; and of the words in `sure`, if more than one word is written, a letter left out, or any slip in a line
    that names a place.
    """
    plain = [plain_word(word) for word in words]
    unknown = [
        place
        for place, word in enumerate(plain)
        if not is_known(game, word) and not any(map(str.isdigit, word)) and word not in _NO_SLIPS
    ]
    has_place = len(words) >= _WITH_PLACE and any(map(_PLACE.fullmatch, plain))
    # Among several unknown words the short ones may be codes: `plce gogo d4 N`.
    places = [place for place in unknown if len(unknown) == 1 or not _is_code(words[place], place)] or unknown
    nearest = _Nearest(game.package, frozenset(meant), sure, is_alone=len(words) == 1, has_place=has_place)
    for place in places if len(places) <= _MOST_UNKNOWN else ():
        others = [word for at, word in enumerate(plain) if at != place]
        near = nearest.list(plain[place], has_more=any(_says_more(game, word, verbs) for word in others))
        if len({*near.values()}) == 1:
            for phrase in near:
                mended = [*words[:place], *phrase.split(), *words[place + 1 :]]
                yield mended
                if len(unknown) > 1:
                    yield from mend_slip(game, mended, meant, sure=sure, verbs=verbs)
    for start in range(len(words) - 1):
        if (
            unknown
            and {start, start + 1} >= {*unknown}
            and nearest.is_written_apart(*plain[start : start + 2])
        ):
            yield [*words[:start], "".join(words[start : start + 2]), *words[start + 2 :]]


@dataclass(frozen=True, slots=True)
class _Nearest:
    """Lists the phrases that a word with a slip may be meant for."""

    package: str
    meant: frozenset[str]
    sure: Set[str] | None
    is_alone: bool
    has_place: bool

    def list(self, word: str, *, has_more: bool) -> Mapping[str, str]:
        """The phrases, each with the word of the notation that it means.

        `has_more`: not all hangs on this word, as it does in `take the emrald`.
        """
        if len(word) < _SHORTEST_SLIP or not word.isalpha():
            return {}
        alike = _list_alike(self.package, self.meant, len(word))
        near = {phrase: means for phrase, means in alike if self._is_near(word, phrase, means)}
        if self.sure is not None and has_more:
            near |= {
                phrase: means
                for phrase, means in alike
                if len(phrase) >= _UNMISTAKABLE and _is_sure_slip(word, phrase)
            }
        return near | _written_together(self.package, self.meant).get(word, {})

    def is_written_apart(self, one: str, other: str) -> bool:
        """True for the two pieces of a long word: `ame thyst`."""
        alike = _list_alike(self.package, self.meant, len(word := f"{one}{other}"))
        return len(word) >= _LONG_ENOUGH and any(phrase == word for phrase, _ in alike)

    def _is_near(self, word: str, phrase: str, means: str) -> bool:
        if _is_turned(word, phrase) or (
            self.sure is None and (_is_slip(word, phrase) or _lacks_vowels(word, phrase))
        ):
            return True
        is_sure = not self.is_alone and means in (self.sure or ())
        return is_sure and (_is_sure_slip(word, phrase) or (self.has_place and _is_slip(word, phrase)))


def _is_code(word: str, place: int) -> bool:
    """True if this may be a code; the first word is a verb."""
    return place > 0 and CODE.fullmatch(lower(word)) is not None


@lru_cache(maxsize=1000)
def _list_alike(package: str, meant: frozenset[str], length: int) -> Sequence[tuple[str, str]]:
    """The phrases of one word, with three letters more than `length` at most or a letter less, for these words."""
    return [
        (phrase, word)
        for phrase, word in _phrases_for(package, meant)
        if -1 <= len(phrase) - length <= 3 and phrase.isalpha()
    ]


@lru_cache(maxsize=100)
def _written_together(package: str, meant: frozenset[str]) -> Mapping[str, dict[str, str]]:
    """The phrases of several words for these words of the notation, without their blanks: `jepasse`, `jpasse`."""
    found: dict[str, dict[str, str]] = {}
    for phrase, word in _phrases_for(package, meant):
        if " " in phrase and GAP not in phrase:
            found.setdefault(phrase.replace(" ", ""), {})[phrase] = word
            if phrase.startswith("je ") and phrase.count(" ") == 1:  # `jprends`
                found.setdefault(f"j{phrase[3:]}", {})[phrase] = word
    return found


def _phrases_for(package: str, meant: frozenset[str]) -> Iterator[tuple[str, str]]:
    for language in LANGUAGES:
        for phrase, means in read_phrasebook(package, language).meanings.items():
            if (word := next(filter(None, means), "")) in meant:
                yield phrase, word


def _is_turned(word: str, meant: str) -> bool:
    """True if two letters behind the first are changed over, as in `psas`, or one is doubled or should be: `passs`."""
    start, rest, rest_meant = _from_difference(word, meant)
    changed_over = len(rest) > 1 and rest[:2] == rest_meant[1::-1] and rest[2:] == rest_meant[2:]
    doubled = word[start - 1 : start] == rest[:1] != "" and rest[1:] == rest_meant
    should_be_doubled = meant[start - 1 : start] == rest_meant[:1] != "" and rest_meant[1:] == rest
    return start > 0 and (changed_over or doubled or should_be_doubled)


def _is_sure_slip(word: str, meant: str) -> bool:
    """True if a letter behind the first is left out, or any other in a long word but for its ending (`passed`)."""
    start, rest, rest_meant = _from_difference(word, meant)
    if len(meant) >= _LONG_ENOUGH:
        return 0 < start < len(meant) - 1 and (_is_slip(word, meant) or _is_exchanged(word, meant))
    return start > 0 and len(word) >= _SHORTEST_SLIP and rest == rest_meant[1:]


def _is_slip(word: str, meant: str) -> bool:
    """True if a single letter of the word that was meant is wrong, missing, one too many, or changed over."""
    _, rest, rest_meant = _from_difference(word, meant)
    changed_over = len(rest) > 1 and rest[:2] == rest_meant[1::-1] and rest[2:] == rest_meant[2:]
    return changed_over or rest == rest_meant[1:] or rest[1:] in (rest_meant[1:], rest_meant)


def _is_exchanged(word: str, meant: str) -> bool:
    """True if two letters of the word that was meant stand at each other's place: `amythest`."""
    wrong = [pair for pair in zip(word, meant, strict=False) if pair[0] != pair[1]]
    return len(word) == len(meant) and len(wrong) == 2 and wrong[0] == wrong[1][::-1]


def _lacks_vowels(word: str, meant: str) -> bool:
    """True if a word is written without some of its vowels: `sibn`, `drw`."""
    return len(word) < len(meant) and word[0] == meant[0] and _VOWELS.sub("", word) == _VOWELS.sub("", meant)


def _from_difference(word: str, meant: str) -> tuple[int, str, str]:
    """The place of the first letter in which the words differ, and both from there on."""
    start = next((at for at, (one, other) in enumerate(zip(word, meant, strict=False)) if one != other), -1)
    if start < 0:
        start = min(len(word), len(meant))
    return start, word[start:], meant[start:]
