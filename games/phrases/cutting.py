"""Cuts off a line what takes nothing from its move: how it closes, and what is not chosen.

*Bid 3. Love, Grandma* is read as *Bid 3*, and *the ruby rather than the emerald* as *the ruby*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from games.phrases.lines import ARTICLES, DOUBTS, is_correction
from games.phrases.phrasebook import NUMBERS, common_words, fold_word, fold_words
from games.phrases.sentences import END

_CLOSINGS = tuple(f"{fold_words(phrase)} " for phrase in common_words("(closing)"))
_LONGEST_CLOSING = 10
"""Words behind which a closing may tell a story."""
_CONTRAST = re.compile(
    rf"(?<=\w)(?:,? (?:{'|'.join(map(re.escape, sorted(common_words('(rather than)'), key=len, reverse=True)))})"
    r"|, (?:not|nicht|pas))\b['’ ]+([^,.;:!?()]+)",
    re.IGNORECASE,
)
"""Matches what is not chosen. Without a comma *nicht* is said of what stands before it: *passe nicht, biete 3*."""
_LONGEST_CONTRAST = 6
"""Words of what is not chosen."""
_ALL = frozenset(map(fold_words, common_words("(all of them)")))
_BETWEEN = re.compile(
    "on|in|at|to|into|onto|a|en|sur|dans|auf|an|zu|aufs|ans|mon|ma|mein|meine|meinen|meiner"
)
"""Matches what stands before the name of a place or piece."""
_WORD = re.compile(r"[\w,*+-]+")


def shorter_ways(text: str, says_a_part: Callable[[str], bool]) -> Iterator[str]:
    """Yield the line without its closing, and without what is not chosen; `says_a_part`: of a move, by a folded word.

    >>> [*shorter_ways("Bid 3. Love, Grandma", str.isdecimal)]
    ['Bid 3.']
    >>> [*shorter_ways("the 3 rather than the 4", str.isdecimal)]
    ['the 3']
    >>> [*shorter_ways("the 3 rather than wait", str.isdecimal)]
    []
    """
    open_end = _without_closing(text)
    if open_end != text:
        yield open_end
    chosen = _without_contrast(open_end, says_a_part)
    if chosen != open_end:
        yield chosen


def _without_closing(text: str) -> str:
    sentences = END.split(text.strip())
    while len(sentences) > 1 and _is_closing(sentences[-1]):
        sentences.pop()
    return " ".join(sentences)


def _is_closing(sentence: str) -> bool:
    """True for a sentence that begins as letters end, with whoever signs or where they are."""
    said = fold_words(re.sub(r"[^\w-]+", " ", sentence)).split()
    return (
        f"{' '.join(said)} ".startswith(_CLOSINGS)
        and len(said) <= _LONGEST_CLOSING
        and "?" not in sentence
        and not is_correction(sentence)
        and not any(word in DOUBTS or _counts(word) for word in said)
    )


def _without_contrast(text: str, says_a_part: Callable[[str], bool]) -> str:
    found = [*_CONTRAST.finditer(text)]
    if len(found) != 1 or "?" in text:
        return text
    words = [*map(fold_word, _WORD.findall(found[0][1]))]
    named = [word for word in words if word not in ARTICLES and not _BETWEEN.fullmatch(word)]
    before = fold_words(text[: found[0].start()]).split()
    is_chosen = (
        0 < len(words) <= _LONGEST_CONTRAST
        and named
        and all(_counts(word) or says_a_part(word) for word in named)
        and (_ALL | DOUBTS).isdisjoint(before)
    )
    return f"{text[: found[0].start()]}{text[found[0].end() :]}" if is_chosen else text


def _counts(word: str) -> bool:
    return any(map(str.isdigit, word)) or NUMBERS.get(word, "1") != "1"
