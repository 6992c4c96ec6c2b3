"""Tells words that sound like a move and mean another thing: how many, all but one, the hour."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from games.phrases.phrasebook import NUMBERS, common_words, fold_word, fold_words, plain_word

_EXCEPTIONS, _ALL_OF_THEM = ({*map(fold_words, common_words(word))} for word in ("(except)", "(all of them)"))
_COUNTED, _CLOCK, _DAYS, _PLAYS = (
    common_words(word) for word in ("(counted)", "(clock)", "(day)", "(plays)")
)


def excludes(said: Sequence[str]) -> bool:
    """True for words that leave something out, as `everything except the 8` and `alles bis auf die Zehn` do."""
    text = f" {' '.join(map(fold_word, said))} "
    return any(f" {phrase} " in text for phrase in _EXCEPTIONS) or (
        " bis auf " in text and not _ALL_OF_THEM.isdisjoint(text.split())
    )


def says_how_many(said: Sequence[str]) -> bool:
    """True for `6 cards`, which may be six of them or a 6; `the 2 and 6 cards` are named by their numbers."""
    plain = [plain_word(word) for word in said]
    numbers = [NUMBERS.get(word, word) for word in plain if NUMBERS.get(word, word).isdecimal()]
    return (
        len(numbers) == 1
        and int(numbers[0]) > 1
        and any(other in _COUNTED and (one in NUMBERS or one.isdecimal()) for one, other in pairwise(plain))
    )


def tells_time(said: Sequence[str]) -> bool:
    """True for `I play at 8` and `I go at 5 today`, which tell the hour."""
    plain = [plain_word(word) for word in said]
    is_day = not _DAYS.isdisjoint(plain)
    return any(
        (is_day or before in _PLAYS) and word in _CLOCK and (number in NUMBERS or number.isdecimal())
        for before, word, number in zip(plain, plain[1:], plain[2:], strict=False)
    )
