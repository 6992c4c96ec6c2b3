"""Translates the words of a line into words of a game's notation, by the phrases of each language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from games.contract import Game
from games.phrases.phrasebook import (
    ASIDE,
    GAP,
    LANGUAGES,
    TOGETHER,
    TOTAL,
    Phrasebook,
    common_words,
    fold_word,
    plain_word,
    read_phrasebook,
)
from games.reading import lower

_LONGEST_PHRASE = 7
"""Words."""
_MOST_READINGS = 32
_MOST_ORDERS = 16
"""Ways to put together what lies around its object; a sentence has one or two."""
_MOST_UNKNOWN = 3
"""Unknown words of a line, one of which may be a slip and the others codes."""
_SHORTEST_SLIP = 3
"""Letters of a word in which a slip is seen."""
_LONG_ENOUGH = 6
"""Letters of a word that no other word resembles by chance."""
_GLUED = re.compile(r"([^\W\d_]{2,})(\d{1,3})")
_PLACE = re.compile(r"[a-g][1-9]|-?\d+,-?\d+")
_SQUARE = re.compile(r"[a-z][1-9]", re.IGNORECASE)
LEAVING = common_words("(leaving)")
_WITH_PLACE = 4
"""Words of a line with a place, at least, in which a slip leaves no doubt: `plase bobo f1 N`."""
_CODE = re.compile(r"[a-z*]{1,4}|\+|[a-z(*+-]*[\d-][\w,.+()-]*", re.ASCII)
"""Matches what may be a code of a card, a cell or a side, or a number."""
POLITE = frozenset(("please", "pls", "plz", "bitte", "svp", "stp"))
"""Words that may follow a phrase around its object."""
WORDS = common_words("(word)")
_NO_SLIPS = WORDS | common_words("(no slip)")
FILLERS = common_words("(filler)") | {phrase for phrase in common_words(ASIDE) if " " not in phrase}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the notation that a phrase may mean; of one that says nothing, the phrase."""

    text: str
    is_translated: bool = True
    """False for a code, which no table knows."""
    dropped: str = ""


def translations(game: Game, words: Sequence[str]) -> Iterator[tuple[str, Sequence[Word]]]:
    """The ways to write the words in the notation, each with its language."""
    plain = [plain_word(word) for word in words]
    for language in LANGUAGES:
        book = read_phrasebook(game.package, language)
        known = zip(words, plain, strict=True)
        if not all(
            folded in book.words or folded in POLITE or _translate_alone(word, folded, book)
            for word, folded in known
        ):
            continue
        orders = [*islice(_orders(words, plain, book), _MOST_ORDERS)]
        if any(word in FILLERS for word in plain):
            kept = [word for word in words if plain_word(word) not in FILLERS]
            orders += islice(_orders(kept, [*map(plain_word, kept)], book), _MOST_ORDERS)
        ways = (way for order in orders for way in _Sentence(order, book).translate())
        for way in dict.fromkeys(islice(ways, _MOST_READINGS)):
            yield language, way


def _orders(words: Sequence[str], plain: Sequence[str], book: Phrasebook) -> Iterator[Sequence[str]]:
    """The words as they stand, and with the parts of a phrase that lies around its object put together before it."""
    yield words
    for end, last in enumerate(plain, start=1):
        for gap in book.gaps.get(last, ()):
            before, behind = len(gap.before), end - len(gap.behind)
            if behind < 1 or tuple(plain[behind:end]) != gap.behind:
                continue
            for place in range(behind - before if before else 1):
                if tuple(plain[place : place + before]) == gap.before:
                    middle = words[place + before : behind]
                    yield [*words[:place], *gap.before, GAP, *gap.behind, *middle, *words[end:]]


def without_place_left(words: Sequence[str]) -> Sequence[str]:
    """The words without *from R4* in *from R4 to E4*.

    >>> without_place_left("the silver from R4 to E4".split())
    ['the', 'silver', 'to', 'E4']
    """
    squares = [place for place, word in enumerate(words) if _SQUARE.fullmatch(word)]
    for place in squares if len(squares) > 1 else []:
        for count in (2, 1):
            start = place - count
            if start >= 0 and " ".join(map(fold_word, words[start:place])) in LEAVING:
                return [*words[:start], *words[place + 1 :]]
    return words


def without_total(words: Sequence[Word], laid: int = 0) -> Sequence[Word]:
    """The words without the sum that is said beside the numbers, as in `3 and 4, total 7`; empty if it is another.

    `laid`: what the sum may be higher by, as it lies there already.
    """
    spoken = [word for word in words if word.text]
    total = next((place for place, word in enumerate(spoken) if word.text in (TOTAL, TOGETHER)), None)
    if total is None:
        return words
    before = [word for word in spoken[:total] if word.text.isdecimal()]
    behind = [word for word in spoken[total + 1 :] if word.text.isdecimal()]
    if not behind and len(before) > 1:  # `3 and 4, 7 in total`; `3 and 4 together`
        sums = sum(int(word.text) for word in before[:-1]), sum(int(word.text) for word in before[:-1]) + laid
        if spoken[total].text == TOTAL or int(before[-1].text) in sums:
            before, behind = before[:-1], before[-1:]
    parts, told = (before, behind) if len(behind) == 1 else (behind, before)
    if not (before and behind):
        told = []
    elif len(told) != 1 or int(told[0].text) - sum(int(word.text) for word in parts) not in (0, laid):
        return ()
    return [
        word
        for word in words
        if word.text not in (TOTAL, TOGETHER) and not any(word is each for each in told)
    ]


def without_name_behind(part: Sequence[str], known: Set[str]) -> Sequence[str]:
    """The words without the name of whom they address: *over to you Ben*."""
    return part[:-1] if len(part) > 1 and fold_word(part[-1]) in known else part


def mend_slip(
    game: Game, words: Sequence[str], meant: Iterable[str], *, sure: Set[str] | None = None
) -> Iterator[list[str]]:
    """The words with one of them mended that misses a word by a letter; those that any language knows stay.

    `meant`: words of the notation whose phrases are looked at. Where `sure` is given, only slips that hardly make
    another word are mended: two letters changed over or one doubled, and of the words in `sure`, if more than one word
    is written, also a letter left out, or any in a long word or in a line that names a place.
    """
    books = [read_phrasebook(game.package, language) for language in LANGUAGES]
    plain = [plain_word(word) for word in words]
    unknown = [
        place
        for place, word in enumerate(plain)
        if not any(word in book.words for book in books)
        and not any(map(str.isdigit, word))
        and word not in _NO_SLIPS
    ]
    has_place = len(words) >= _WITH_PLACE and any(map(_PLACE.fullmatch, plain))
    # Among several unknown words the short ones may be codes: `plce gogo d4 N`.
    places = [place for place in unknown if len(unknown) == 1 or not _is_code(words[place], place)] or unknown
    for place in places if len(places) <= _MOST_UNKNOWN else ():
        if len(plain[place]) < _SHORTEST_SLIP or not plain[place].isalpha():
            continue
        near = {
            phrase: means
            for phrase, means in _list_alike(game.package, frozenset(meant), len(plain[place]))
            if _is_turned(plain[place], phrase)
            or (sure is None and _is_slip(plain[place], phrase))
            or (
                len(words) > 1
                and means in (sure or ())
                and (_is_sure_slip(plain[place], phrase) or (has_place and _is_slip(plain[place], phrase)))
            )
        } | _written_together(game.package, frozenset(meant)).get(plain[place], {})
        if len({*near.values()}) == 1:
            for phrase in near:
                yield [*words[:place], *phrase.split(), *words[place + 1 :]]


def _is_code(word: str, place: int) -> bool:
    """True if this may be a code; the first word is a verb."""
    return place > 0 and _CODE.fullmatch(lower(word)) is not None


@lru_cache(maxsize=1000)
def _list_alike(package: str, meant: frozenset[str], length: int) -> Sequence[tuple[str, str]]:
    """The phrases of one word, with a letter more than `length` at most or a letter less, for these words."""
    return [
        (phrase, word)
        for phrase, word in _phrases_for(package, meant)
        if abs(len(phrase) - length) <= 1 and phrase.isalpha()
    ]


@lru_cache(maxsize=100)
def _written_together(package: str, meant: frozenset[str]) -> Mapping[str, dict[str, str]]:
    """The phrases of several words for these words of the notation, without their blanks: `jepasse`."""
    return {
        phrase.replace(" ", ""): {phrase: word}
        for phrase, word in _phrases_for(package, meant)
        if " " in phrase and GAP not in phrase
    }


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
        return 0 < start < len(meant) - 1 and _is_slip(word, meant)
    return start > 0 and len(word) >= _SHORTEST_SLIP and rest == rest_meant[1:]


def _is_slip(word: str, meant: str) -> bool:
    """True if a single letter of the word that was meant is wrong, missing, one too many, or changed over."""
    _, rest, rest_meant = _from_difference(word, meant)
    changed_over = len(rest) > 1 and rest[:2] == rest_meant[1::-1] and rest[2:] == rest_meant[2:]
    return changed_over or rest == rest_meant[1:] or rest[1:] in (rest_meant[1:], rest_meant)


def _from_difference(word: str, meant: str) -> tuple[int, str, str]:
    """The place of the first letter in which the words differ, and both from there on."""
    start = next((at for at, (one, other) in enumerate(zip(word, meant, strict=False)) if one != other), -1)
    if start < 0:
        start = min(len(word), len(meant))
    return start, word[start:], meant[start:]


class _Sentence:
    """Words to be translated by the phrases of one language."""

    def __init__(self, words: Sequence[str], book: Phrasebook) -> None:
        self.words, self.plain, self.book = words, [plain_word(word) for word in words], book
        self.begins = [[*self._begin(place)] for place in range(len(words))]
        self.leads_on = [False] * len(words) + [True]
        """By place: whether the words from there to the end can all be translated, so that trying pays."""
        for place in reversed(range(len(words))):
            self.leads_on[place] = any(self.leads_on[end] for end, _ in self.begins[place])

    def translate(self, place: int = 0) -> Iterator[tuple[Word, ...]]:
        """The ways to say the words from this place on, those with longer phrases first."""
        if place == len(self.words):
            yield ()
        elif self.leads_on[place]:
            for end, said in self.begins[place]:
                if self.leads_on[end]:
                    for rest in self.translate(end):
                        yield (*said, *rest)

    def _begin(self, place: int) -> Iterator[tuple[int, tuple[Word, ...]]]:
        """The phrases that begin here, each with its end and what it means; a code stays as it is."""
        said: dict[int, dict[str, None]] = {}
        for end in range(min(place + _LONGEST_PHRASE, len(self.words)), place, -1):
            if meanings := self.book.meanings.get(" ".join(self.plain[place:end])):
                said[end] = dict.fromkeys(meanings)
        for end, meaning in self.book.read_family(self.plain, place):
            said.setdefault(end, {})[meaning] = None
        for end in sorted(said, reverse=True):
            for meaning in said[end]:
                if meaning:
                    yield end, tuple(Word(word) for word in meaning.split())
                else:
                    yield end, (Word("", dropped=" ".join(self.plain[place:end])),)
        if not said and self.plain[place] in POLITE:  # `rubin pls`, in whatever language the rest is
            yield place + 1, (Word("", dropped=self.plain[place]),)
        is_phrase = bool(said)
        is_capital_code = is_phrase and self.words[place].isupper() and len(self.words[place]) > 1
        if (is_capital_code or not is_phrase) and (
            alone := _translate_alone(self.words[place], self.plain[place], self.book)
        ):
            yield place + 1, alone


def _translate_alone(word: str, plain: str, book: Phrasebook) -> tuple[Word, ...]:
    """The translation of one word that is no phrase: `saphir-rubis`, `bid3`, or a code; empty for any other."""
    glued = _GLUED.fullmatch(plain)
    if glued and any(book.meanings.get(glued[1], ())):
        return (Word(book.meanings[glued[1]][0]), Word(glued[2]))
    parts = re.split(r"[-/]", plain)
    if len(parts) > 1 and all(book.meanings.get(part, ()) for part in parts):
        meant = [
            next(filter(None, book.meanings[part]), "") for part in parts
        ]  # `Karte` in `Rubin-Karte` says nothing
        return (Word("-".join(filter(None, meant))),) if any(meant) else ()
    is_word = plain in WORDS and not word.isupper()
    return (Word(lower(word), is_translated=False),) if _CODE.fullmatch(lower(word)) and not is_word else ()
