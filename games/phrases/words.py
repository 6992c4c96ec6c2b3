"""Translates the words of a line into words of a game's notation, by the phrases of each language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile

from games.phrases.phrasebook import (
    ASIDE,
    GAP,
    LANGUAGES,
    NUMBERS,
    TOGETHER,
    TOTAL,
    Phrasebook,
    common_words,
    fold_word,
    fold_words,
    plain_word,
    read_phrasebook,
)
from games.reading import lower

_LONGEST_PHRASE = 7
"""Words."""
_MOST_READINGS = 64
_MOST_ORDERS = 16
"""Ways to put together what lies around its object; a sentence has one or two."""
_GLUED = re.compile(r"([^\W\d_]{2,})(\d{1,3})")
_SQUARE = re.compile(r"[a-z][1-9]", re.IGNORECASE)
_LYING = [
    (before.split(), behind.split())
    for before, _, behind in (
        fold_words(phrase).partition(GAP)
        for phrase in sorted(common_words("(lying)"), key=lambda phrase: (-len(phrase), phrase))
    )
]
"""The words before and behind cards that lie there already, the longest first: *kommt zu meiner*, *zu meiner*."""
_WITH = frozenset(("with", "using", "from", "of", "mit", "aus", "avec", "de"))
_JUST = frozenset(("exactly", "total", "altogether", "genau", "exakt", "zusammen", "pile", "exactement"))
"""May stand between a sum and what stands before its parts."""
_THAT_IS, _IN_ALL = common_words("(that is)"), common_words("(in all)") | {""}
_MAY_LIE = [fold_words(phrase).split() for phrase in common_words("(may lie)")]
_PIECES = common_words("(counted)") | {"coins", "munzen", "muenzen", "pieces"}
LEAVING = common_words("(leaving)")
CODE = re.compile(r"[a-z*]{1,4}|\+|[a-z(*+-]*[\d-][\w,.+()-]*", re.ASCII)
"""Matches what may be a code of a card, a cell or a side, or a number."""
POLITE = frozenset(("please", "pls", "plz", "bitte", "svp", "stp"))
"""Words that may follow a phrase around its object."""
WORDS = common_words("(word)")
_ASIDES = common_words(ASIDE)
_ASIDE_BEGINS = frozenset(phrase.split()[0] for phrase in _ASIDES if " " in phrase)
ADVERBS = common_words("(adverb)")
"""Say nothing beside a verb; beside a number alone they may be astonished: `wirklich 3`."""
FILLERS = common_words("(filler)") | {phrase for phrase in common_words(ASIDE) if " " not in phrase}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the notation that a phrase may mean; of one that says nothing, the phrase."""

    text: str
    is_translated: bool = True
    """False for a code, which no table knows."""
    dropped: str = ""


@lru_cache(maxsize=100)  # the total and the moves of a line are looked for in the same words
def translations(package: str, words: tuple[str, ...]) -> Sequence[tuple[str, Sequence[Word]]]:
    """The ways to write the words in the notation of a game's package, each with its language."""
    return [*_translate(package, words)]


def _translate(package: str, words: Sequence[str]) -> Iterator[tuple[str, Sequence[Word]]]:
    if any(plain_word(word) in ADVERBS for word in words):
        yield from _translate_all(package, [word for word in words if plain_word(word) not in ADVERBS])
    yield from _translate_all(package, words)


def _translate_all(package: str, words: Sequence[str]) -> Iterator[tuple[str, Sequence[Word]]]:
    plain = [plain_word(word) for word in words]
    for language in LANGUAGES:
        book = read_phrasebook(package, language)
        known = zip(words, plain, strict=True)
        if not all(
            folded in book.words or folded in POLITE or _translate_alone(word, folded, book)
            for word, folded in known
        ):
            continue
        orders = _orders_of(words, book)
        if any(word in FILLERS for word in plain):
            orders += _orders_of([word for word in words if plain_word(word) not in FILLERS], book)
        if (kept := _without_asides(words, plain, package)) != words:
            orders += _orders_of(kept, book)
        ways = (way for order in orders for way in _Sentence(order, book).translate())
        for way in dict.fromkeys(islice(ways, _MOST_READINGS)):
            yield language, way


def _orders_of(words: Sequence[str], book: Phrasebook) -> list[Sequence[str]]:
    return [*islice(_orders(words, [*map(plain_word, words)], book), _MOST_ORDERS)]


def _without_asides(words: Sequence[str], plain: Sequence[str], package: str) -> Sequence[str]:
    """The words without what says nothing wherever it stands, in a family too: *open this time with 3*."""
    if _ASIDE_BEGINS.isdisjoint(plain):
        return words
    kept: list[str] = []
    place = 0
    while place < len(words):
        longest = _LONGEST_PHRASE if plain[place] in _ASIDE_BEGINS else 0
        ends = range(min(place + longest, len(words)), place + 1, -1)
        phrases = ((end, " ".join(plain[place:end])) for end in ends)
        end = next((end for end, said in phrases if said in _asides_of(package)), 0)
        if not end:
            kept.append(words[place])
        place = end or place + 1
    return kept


@lru_cache(maxsize=20)
def _asides_of(package: str) -> Set[str]:
    """The asides that say nothing in this game in any language: *on top* tells where a gem goes."""
    books = [read_phrasebook(package, language) for language in LANGUAGES]
    return {said for said in _ASIDES if not any(any(book.meanings.get(said, ())) for book in books)}


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


def without_lying(words: Sequence[str], laid: int) -> Sequence[str]:
    """The words without the sum that lies there already, where they say that it does; empty where they may say so.

    `laid`: that sum.

    >>> without_lying("five and seven on top of my two".split(), 2)
    ['five', 'and', 'seven']
    """
    plain = [fold_word(word) for word in words]
    numbers = {place: NUMBERS.get(word, word) for place, word in enumerate(plain)}
    places = [place for place, number in numbers.items() if number.isdecimal()]
    for place in places if len(places) > 1 else ():  # beside other numbers, which are bid
        for before, behind in _LYING if numbers[place] == str(laid) else ():
            start, end = place - len(before), place + 1 + len(behind)
            if start >= 0 and plain[start:place] == before and plain[place + 1 : end] == behind:
                return [*words[:start], *words[end:]]
        if numbers[place] == str(laid) and any(plain[:place][-len(each) :] == each for each in _MAY_LIE):
            return ()
    return words


def without_total(words: Sequence[Word], laid: int) -> Sequence[Word]:
    """The words without the sum that is said beside the numbers, as in `3 and 4, total 7`; empty if it is another.

    `laid`: what the sum may be higher by, as it lies there already.
    """

    def is_sum(numbers: Sequence[Word], told: Word) -> bool:
        return int(told.text) - sum(int(word.text) for word in numbers) in (0, laid)

    spoken = [word for word in words if word.text]
    total = next((place for place, word in enumerate(spoken) if word.text in (TOTAL, TOGETHER)), None)
    if total is None:
        return words
    before = [word for word in spoken[:total] if word.text.isdecimal()]
    behind = [word for word in spoken[total + 1 :] if word.text.isdecimal()]
    is_told_last = spoken[total].text == TOTAL or is_sum(before[:-1], before[-1]) if before else False
    if not behind and len(before) > 1 and is_told_last:  # `3 and 4, 7 in total`; `3 and 4 together`
        before, behind = before[:-1], before[-1:]
    parts, told = (before, behind) if len(behind) == 1 else (behind, before)
    if not before and len(behind) > 1 and is_sum(behind[1:], behind[0]):  # `I raise to 12, so the 4`
        parts, told = behind[1:], behind[:1]
    if not (parts and told):
        told = []
    elif len(told) != 1 or not is_sum(parts, told[0]):
        return ()
    left = [
        word
        for word in words
        if word.text not in (TOTAL, TOGETHER) and not any(word is each for each in told)
    ]
    verbs = [word for word in left if word.text == "bid"]  # `I raise to 13 with the six` says it twice
    return [word for word in left if word.text != "bid" or word is verbs[0]]


def without_count(words: Sequence[str]) -> Sequence[str]:
    """The words without how many pieces they name, in front of them; empty where that is not their number.

    >>> without_count("two cards the 4 and the 8".split()), without_count("the 4 and the 8".split())
    (['the', '4', 'and', 'the', '8'], ['the', '4', 'and', 'the', '8'])
    >>> without_count("three cards the 4 and the 8".split()), without_count("two cards 4, 8".split())
    ([], ['4,', '8'])
    """
    plain = [fold_word(word.rstrip(",")) for word in words]
    numbers = [NUMBERS.get(word, word) for word in plain]
    places = [place for place, number in enumerate(numbers) if number.isdecimal()]
    for place in places[:1]:
        behind = places[1:]
        is_count = len(behind) > 1 and plain[place + 1] in _PIECES
        if is_count:
            return words[place + 2 :] if int(numbers[place]) == len(behind) else []
    return words


def without_sum(words: Sequence[str], laid: int) -> tuple[Sequence[str], str]:
    """The words without the sum of the numbers, told in front or behind; and it, where it may be another number.

    `laid`: what the sum may be higher by, as it lies there already.

    >>> without_sum("sixteen with 3 5 and 8".split(), 0), without_sum("3 and 4 that's 7".split(), 0)
    ((['3', '5', 'and', '8'], '16'), (['3', 'and', '4'], ''))
    >>> without_sum("9 with 3 and 4".split(), 0)
    (['9', 'with', '3', 'and', '4'], '')
    """
    plain = [*map(fold_word, words)]
    places = [place for place, word in enumerate(plain) if NUMBERS.get(word, word).isdecimal()]
    values = [int(NUMBERS.get(plain[place], plain[place])) for place in places]
    if len(values) < 2:
        return words, ""
    *parts, told = values
    is_sum = told == sum(parts) + laid or (told == sum(parts) and len(parts) > 1)
    start, end = places[-2] + 1, places[-1]
    if is_sum and " ".join(plain[end + 1 :]) in _IN_ALL:
        for place in range(start, end):
            if " ".join(plain[place:end]) in _THAT_IS:
                return words[:place], ""
    told, *parts = values
    between = plain[places[0] + 1 : places[1]]
    count = len([*takewhile(_JUST.__contains__, between)])
    is_told_in_front = not _WITH.isdisjoint(between[count : count + 1]) and len(parts) > 1
    if is_told_in_front and told - sum(parts) in (0, laid):
        return [*words[: places[0]], *words[places[0] + count + 2 :]], str(told)
    return words, ""


def without_name_behind(part: Sequence[str], known: Set[str]) -> Sequence[str]:
    """The words without the name of whom they address: *over to you Ben*."""
    return part[:-1] if len(part) > 1 and fold_word(part[-1]) in known else part


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
        said = self._list_meanings(place)
        for end in sorted(said, reverse=True):
            for meaning in said[end]:
                if meaning:
                    yield end, tuple(Word(word) for word in meaning.split())
                else:
                    yield end, (Word("", dropped=" ".join(self.plain[place:end])),)
        word, plain = self.words[place], self.plain[place]
        if not said and plain in POLITE:  # `rubin pls`, in whatever language the rest is
            yield place + 1, (Word("", dropped=plain),)
        may_be_code = not said or (word.isupper() and len(word) > 1)
        if may_be_code and (alone := _translate_alone(word, plain, self.book)):
            yield place + 1, alone

    def _list_meanings(self, place: int) -> dict[int, dict[str, None]]:
        """The meanings of the phrases that begin here, by where they end."""
        said: dict[int, dict[str, None]] = {}
        for end in range(min(place + _LONGEST_PHRASE, len(self.words)), place, -1):
            if meanings := self.book.meanings.get(" ".join(self.plain[place:end])):
                said[end] = dict.fromkeys(meanings)
        for end, meaning in self.book.read_family(self.plain, place):
            said.setdefault(end, {})[meaning] = None
        return said


def _translate_alone(word: str, plain: str, book: Phrasebook) -> tuple[Word, ...]:
    """The translation of one word that is no phrase: `saphir-rubis`, `bid3`, or a code; empty for any other."""
    glued = _GLUED.fullmatch(plain)
    if glued and any(book.meanings.get(glued[1], ())):
        return (Word(book.meanings[glued[1]][0]), Word(glued[2]))
    parts = re.split(r"[-/]", plain)
    if len(parts) > 1 and all(book.meanings.get(part, ()) for part in parts):
        # `Karte` in `Rubin-Karte` says nothing.
        meant = [next(filter(None, book.meanings[part]), "") for part in parts]
        return (Word("-".join(filter(None, meant))),) if any(meant) else ()
    is_word = plain in WORDS and not word.isupper()
    return (Word(lower(word), is_translated=False),) if CODE.fullmatch(lower(word)) and not is_word else ()
