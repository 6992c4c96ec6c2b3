"""Reads a line that names a move by its place in the list of the mail: *the third one on your list*, *option 2*.

Every word must be known: one that counts, one that says what is counted, or one that says nothing. Files
`phrases/listed.LANGUAGE.txt` list them; a line `3: third` counts from the top, `-1: last` from the end, and `0` is the
middle. Where neither a list nor a thing of one is named (*the third one*), a piece may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from games.phrases.lines import LONGEST, find_core
from games.phrases.phrasebook import LANGUAGES, NUMBERS, fold_words, read_file

_LONGEST_PHRASE = 8
"""Words."""
_MOST_WORDS = 16
_NUMBERED = re.compile(r"(?:#|\bn[°º]|\b(?:nr|no|num)\.)\s*(?=\d{1,2}\b)", re.IGNORECASE)
_ORDINAL = re.compile(
    r"(?<![\w,.-])(\d{1,2})(?:(?:st|nd|rd|th|er|[eè]re|[eè]?me|e|te[nrs]?)\b|\.(?=\s+[^\W\d_]))",
    re.IGNORECASE,
)
_NTH = re.compile(r"nth(\d{1,2})")
_THING, _LIST, _NUMBER, _FROM_THE_END, _NOTHING = (
    "(thing)",
    "(list)",
    "(number)",
    "(from the end)",
    "(nothing)",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a list."""

    number: int
    """From 1 at the top, or from -1 at the end; 0 for the middle."""
    is_listed: bool
    """False if it may be that of a piece: *the third one*."""
    is_numbered: bool = False
    """It is a mere number: *number 3*."""

    def pick(self, moves: Sequence[str]) -> str | None:
        """The move at this place; None if there is none.

        >>> [Place(number, is_listed=True).pick(["a", "b", "c"]) for number in (1, -1, 0, 4)]
        ['a', 'c', 'b', None]
        """
        count = len(moves)
        if self.number == 0:
            return moves[count // 2] if count % 2 else None
        at = self.number - 1 if self.number > 0 else count + self.number
        return moves[at] if 0 <= at < count else None


def find_place(text: str, names: Iterable[str] = ()) -> Place | None:
    """Return the one place that a line names, if it says nothing else.

    >>> find_place("The third one on your list, please").number, find_place("den vorletzten Vorschlag").number
    (3, -2)
    >>> [find_place(text) for text in ("the second option is bad", "option 2 or 3", "should I take option 2?")]
    [None, None, None]
    """
    if len(text) > LONGEST:
        return None
    core = find_core(_ORDINAL.sub(r"nth\1", _NUMBERED.sub("nr ", text)), names)  # `nr` in all languages
    if core is None or core.is_question:
        return None
    words = tuple(fold_words(" ".join(core.words).replace("-", " ")).split())
    if not 0 < len(words) <= _MOST_WORDS:
        return None
    return next(filter(None, (_read(words, language) for language in LANGUAGES)), None)


@lru_cache(maxsize=1000)
def _read(words: tuple[str, ...], language: str) -> Place | None:
    """The place that the words of one language name."""
    said = _translate(words, _read_phrases(language))
    numbers = [each for each in said if each.lstrip("-").isdecimal()]
    if len(numbers) != 1:
        return None
    number = -int(numbers[0]) if _FROM_THE_END in said else int(numbers[0])
    is_listed = _THING in said or _LIST in said
    return Place(number, is_listed, is_numbered=_NUMBER in said)


def _translate(words: Sequence[str], phrases: Mapping[str, str]) -> Sequence[str]:
    """The meanings of the words; none if one is not known. A number counts behind what it counts alone."""
    said: list[str] = []
    at = 0
    while at < len(words):
        counts = said[-1:] in ([_THING], [_NUMBER])
        if counts and (number := NUMBERS.get(words[at], words[at])).isdecimal():
            said.append(number)
            at += 1
        elif nth := _NTH.fullmatch(words[at]):
            said.append(nth[1])
            at += 1
        else:
            ends = range(min(at + _LONGEST_PHRASE, len(words)), at, -1)
            end = next((end for end in ends if " ".join(words[at:end]) in phrases), 0)
            if not end:
                return ()
            said.append(phrases[" ".join(words[at:end])])
            at = end
    return said


@lru_cache(maxsize=3)
def _read_phrases(language: str) -> Mapping[str, str]:
    """The phrases of a language, folded, with what they mean."""
    lines = read_file(resources.files("games"), f"listed.{language}", language)
    return {fold_words(phrase.replace("-", " ")): word for word, phrases in lines for phrase in phrases}
