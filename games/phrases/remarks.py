"""Finds the part of a line that says a move, beside remarks on it: *Je joue l'émeraude. Comme Eve, tiens !*

Who says a move with its verb may go on with what they like, of the game too, but for what leaves the move in doubt: a
condition, another move, a correction, somebody who is quoted, a number. The words that do are those of `(doubt)`, `(no
comment)` and `(report)`; of these, `(firm)` do not beside a move that is said so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from games.phrases.comments import is_wish
from games.phrases.lines import FIRST_PERSON, REASONS, is_broken_off, is_correction, is_courtesy
from games.phrases.phrasebook import NUMBERS, common_words, fold_word, fold_words, plain_word
from games.phrases.sentences import CUT, END

Beside: TypeAlias = tuple[str, Sequence[str]]
"""A part of a line, and the other parts."""

_MOST = 5
"""Parts of a line."""
_LONGEST = 18
"""Words of a remark."""
_CLAUSE = re.compile(r"(?:[,;](?!\s*\d)|\s[-–—]{1,2}|:)\s+(?=\w)")
_DOUBTS = common_words("(doubt)")
_STOPS = (
    (_DOUBTS | common_words("(no comment)") | common_words("(report)")) - common_words("(mild)") | {"what"}
) - common_words("(firm)")
_REASONS = tuple(f"{fold_words(word)} " for word in REASONS)
_POINTS = re.compile(
    rf"\b(?:\d+|{'|'.join(sorted(number for number in NUMBERS if number.isalpha()))})[ -]?"
    rf"(?:{'|'.join(sorted(common_words('(points)')))})\b",
    re.IGNORECASE,
)
"""Matches what somebody counts."""
_GOES_ON = frozenset(fold_word(word) for word in common_words("(goes on)"))
_NEVER_FIRST = frozenset(fold_word(word) for word in common_words("(never first)"))
_WOULD = frozenset(fold_word(word) for word in common_words("(would)"))
_SPEAKERS = FIRST_PERSON | {"we", "wir", "on", "nous"}
_SPOKEN_TO = frozenset(("you", "du", "ihr", "tu", "vous"))
_THANKS = re.compile(
    r"^(?:no,? thanks|no,? thank you|non,? merci|nein,? danke|nee,? danke)[,.!]?\s*", re.IGNORECASE
)
_NUMBERS = re.compile(
    rf"(?:(?:\d+|{'|'.join(sorted(map(fold_words, NUMBERS)))})(?:\s*(?:,|and|und|et|&|\+|\s)\s*|[.!]?$))+"
)
_HENCE = tuple(f"{fold_words(word)} " for word in common_words("(hence)"))


def parts_beside_remarks(text: str, *, counts: bool = False) -> Iterator[Beside]:
    """Yield each part of a line that all others are remarks on, with these.

    A remark stands in a sentence of its own, behind a comma, or before one where the part draws a conclusion of it, or
    says *I*. `counts`: moves have numbers here, so that a remark may have none but points.

    >>> [*parts_beside_remarks("I take the ruby, it matches my sapphire.")]
    [('I take the ruby', ['it matches my sapphire.'])]
    >>> [*parts_beside_remarks("I take the ruby, unless Ben wants it.")]
    []
    """
    sentences = END.split(text.strip())
    sentences = [*filter(None, (_THANKS.sub("", sentence) for sentence in sentences))]
    if (
        not sentences
        or "?" in text
        or CUT.fullmatch(sentences[-1])
        or is_broken_off(re.findall(r"[\w-]+", text) or [""])
    ):
        return
    for place, sentence in enumerate(sentences):
        others = [*sentences[:place], *sentences[place + 1 :]]
        for said, clauses in _split(sentence):
            remarks = [*others, *clauses]
            if 0 < len(remarks) < _MOST and all(_is_remark(remark, counts) for remark in remarks):
                yield said, remarks


def _split(sentence: str) -> Iterator[Beside]:
    """The sentence whole, its beginning without the clauses behind, and its end where that is a conclusion."""
    yield sentence, ()
    marks = [*_CLAUSE.finditer(sentence)]
    for mark in marks if len(marks) < _MOST else ():
        before, behind = sentence[: mark.start()], sentence[mark.end() :]
        yield before, _CLAUSE.split(behind)
        plain = f"{fold_words(behind)} "
        hence = next(filter(plain.startswith, _HENCE), "") if mark is marks[-1] else ""
        if (mark is marks[-1] and (hence or _says_i(plain))) or (
            mark[0].strip() == ":" and _NUMBERS.fullmatch(plain.strip())  # `the lily is mine: six and nine`
        ):
            yield " ".join(behind.split()[hence.count(" ") :]), _CLAUSE.split(before)


def _says_i(plain: str) -> bool:
    return not _SPEAKERS.isdisjoint(plain.replace("'", " ").split()[:2])


def _is_remark(part: str, counts: bool) -> bool:
    """True for a part of a line that leaves no move beside it in doubt."""
    part = _POINTS.sub(" ", part)
    words = [*filter(None, (plain_word(word) for word in re.split(r"[^\w-]+", part)))]
    if is_courtesy(part) or is_wish(words):
        return True
    return (
        1 < len(words) <= _LONGEST
        and not is_correction(part)
        and fold_word(words[0]) not in _NEVER_FIRST
        and not any(map(_is_doubtful, ["", *words], words))
        and not (
            f"{fold_words(part)} ".startswith(_REASONS) and not _DOUBTS.isdisjoint(map(fold_word, words))
        )
        and not (counts and any(word in NUMBERS or any(map(str.isdigit, word)) for word in words))
    )


def _is_doubtful(before: str, word: str) -> bool:
    """True for a word that leaves a move in doubt; *would* does behind *I* and *you*."""
    plain = fold_word(word)
    if plain in _WOULD:
        return fold_word(before) in _SPEAKERS | _SPOKEN_TO
    return (plain in _STOPS or plain in _GOES_ON) and word not in NUMBERS
