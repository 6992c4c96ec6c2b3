"""Tells a comment beside a move: *I pass, that's not worth it to me*; *because I can*.

Comments have the shapes of the lists `(comment)` and, beside a move that declines, `(refusal)`: `that's …` is the
beginning of one, `… mag ich nicht` the end. Whatever else it says, no word may leave the move in doubt, name a player,
count anything, or be said of a move in the position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache

from games.phrases.phrasebook import GAP, LANGUAGES, common_phrases, common_words, fold_word, fold_words

LONGEST = 14
"""Words of a comment."""
_MOST = 3
"""Comments beside a move."""
_DOUBTS = common_words("(doubt)") | common_words("(errand)")
_NOT_SAID = _DOUBTS | common_words("(no comment)")
_WISHES = frozenset(map(fold_words, common_words("(wish)")))
_TO_A_GROUP = re.compile(
    rf" (?:{'|'.join(sorted({*map(fold_words, common_words('(group)'))}, key=len, reverse=True))})$"
)
_NUMBERS = frozenset(
    phrase
    for language in LANGUAGES
    for number, phrases in common_phrases(language).items()
    if number.isdecimal() and int(number) > 1
    for phrase in phrases
)


def parts_with_move(
    parts: Sequence[Sequence[str]], *, declines: bool, avoid: Set[str], is_certain: bool
) -> Iterator[Sequence[Sequence[str]]]:
    """Yield the parts of a line without the comments at one of its ends.

    `declines`: those of moves that decline. `avoid`: words that are said of moves, and
    names of players. `is_certain`: behind a move that does not decline, and before one that does, only comments that
    are known as a whole; before any other none.
    """
    for count in range(1, min(_MOST, len(parts) - 1) + 1):
        before, behind = parts[:count], parts[-count:]
        if is_certain and not declines:
            is_beside = all(_fold(part) in _wholes(False) or is_wish(part) for part in behind)
        else:
            is_beside = all(is_comment(part, declines=declines, avoid=avoid) for part in behind)
        if is_beside:
            yield parts[:-count]
        if is_certain:
            is_beside = declines and all(_fold(part) in _wholes(True) for part in before)
        else:
            is_beside = all(is_comment(part, declines=declines, avoid=avoid) for part in before)
        if is_beside:
            yield parts[count:]


def _fold(words: Sequence[str]) -> str:
    return " ".join(part for word in words for part in fold_word(word).replace("-", " ").split())


def is_comment(words: Sequence[str], *, declines: bool, avoid: Set[str]) -> bool:
    """True if the words have the shape of a comment, and none of them leaves a move in doubt."""
    return (
        _fold(words) in _wholes(declines)
        or is_wish(words)
        or _has_shape(words, declines=declines, avoid=avoid)
    )


def without_group(plain: str) -> str:
    """A wish, folded, without how many people it is for: *have a nice evening you two*."""
    return _TO_A_GROUP.sub("", plain)


def is_wish(words: Sequence[str]) -> bool:
    """True for a wish, praise, an excuse or musing that leaves no move in doubt: *have fun with the pearl, Dora*."""
    if len(words) > LONGEST:
        return False
    plain = without_group(_fold(words)).split()
    wished = next((end for end in range(len(plain), 0, -1) if " ".join(plain[:end]) in _WISHES), 0)
    return wished > 0 and not any(
        word in _DOUBTS or word in _NUMBERS or any(map(str.isdigit, word)) for word in plain[wished:]
    )


def is_saying(words: Sequence[str]) -> bool:
    """True for a comment that stands in the list as a whole: *wish me luck*."""
    return _fold(words) in _wholes(False)


def _has_shape(words: Sequence[str], *, declines: bool, avoid: Set[str]) -> bool:
    """True if the words begin and end as comments do, and none of the others leaves a move in doubt."""
    plain = _fold(words).split()
    if not 0 < len(plain) <= LONGEST or any(any(map(str.isdigit, word)) for word in plain):
        return False
    shapes = _shapes(declines)
    for before, behind in (shape for word in {plain[0], plain[-1]} for shape in shapes.get(word, ())):
        end = len(plain) - len(behind)
        if end >= len(before) and plain[: len(before)] == before and plain[end:] == behind:
            said = plain[len(before) : end]
            if not any(word in _NOT_SAID or word in _NUMBERS or word in avoid for word in said):
                return True
    return False


@cache
def _phrases(declines: bool) -> Set[str]:
    return {*map(fold_word, common_words("(refusal)" if declines else "(comment)"))}


@cache
def _wholes(declines: bool) -> Set[str]:
    """The comments that are known as a whole."""
    return {phrase for phrase in _phrases(declines) if GAP not in phrase}


@cache
def _shapes(declines: bool) -> Mapping[str, Sequence[tuple[list[str], list[str]]]]:
    """The words with which comments begin and end, by the first word, or the last one where they begin with any."""
    found: dict[str, list[tuple[list[str], list[str]]]] = {}
    for phrase in _phrases(declines):
        before, gap, behind = (part.split() for part in phrase.partition(GAP))
        if gap:
            found.setdefault(before[0] if before else behind[-1], []).append((before, behind))
    return found
