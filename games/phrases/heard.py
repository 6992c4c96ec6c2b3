"""Lists what somebody may have said whose phone wrote it down: *row for* is row 4, *see four* c4, *R B R B* RBRB.

Such a text is never played, but what it may be is offered. The words stand in `phrases/heard.LANGUAGE.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import groupby, islice, product

from games.phrases.phrasebook import LANGUAGES, NUMBERS, fold_word, read_file

_LONGEST = 20
"""Words of a text."""
_MOST_WAYS = 32
_MOST_LETTERS = 4
"""Letters of a code."""
_CELL = re.compile(r"\b([a-g]) ?([1-9])\b")
_MINUS = re.compile(r"\bminus (\d{1,2})\b")
_PAIR = re.compile(r"(?<![\d-])(?:(-\d{1,2}) (-?\d{1,2})|(\d{1,2}) (-\d{1,2}))\b")


def list_heard(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield other words that sound like these, and letters and numbers that belong together as codes.

    >>> list(list_heard("row for".split())), list(list_heard("R B R B at minus 2 1".split()))
    ([('row', '4')], [('RBRB', 'at', '-2,1')])
    """
    if not 0 < len(words) <= _LONGEST:
        return
    heard: dict[tuple[str, ...], None] = {}
    for language in LANGUAGES:
        alike = _read_alike(language)
        ways = product(*([word, *alike.get(fold_word(word), ())] for word in words))
        heard |= dict.fromkeys(map(_join, islice(ways, _MOST_WAYS)))
    heard.pop(tuple(words), None)
    yield from heard


def _join(words: Sequence[str]) -> tuple[str, ...]:
    """The words with their letters and numbers put together: *c 4* is a cell, *minus 2 1* another."""
    joined: list[str] = []
    for is_letter, said in groupby(words, lambda word: len(word) == 1 and word.isalpha()):
        letters = [*said]
        is_code = is_letter and 1 < len(letters) <= _MOST_LETTERS
        joined += ["".join(letters).upper()] if is_code else letters
    text = " ".join(NUMBERS.get(fold_word(word), word) for word in joined)
    text = _PAIR.sub(lambda found: ",".join(filter(None, found.groups())), _MINUS.sub(r"-\1", text))
    return tuple(_CELL.sub(r"\1\2", text).split())


@cache
def _read_alike(language: str) -> Mapping[str, Sequence[str]]:
    """The words of a language, folded, each with what it may have been."""
    found: dict[str, list[str]] = {}
    for word, phrases in read_file(resources.files("games"), f"heard.{language}", language):
        for phrase in phrases:
            if word not in found.setdefault(fold_word(phrase), []):
                found[fold_word(phrase)].append(word)
    return found
