"""Tells words that put the move beside them elsewhere: into another match or auction, or into somebody's mouth.

*I bid 3, that's for Ben's match* and *ich passe, im Namen von Eve* are no moves of the match in which they are written.
"""

from __future__ import annotations

import re
from collections.abc import Set

from games.phrases.phrasebook import common_words, fold_words
from games.phrases.somebody import any_of

_IN_THE_NAME_OF = frozenset(
    fold_words(re.sub(r"\W+", " ", phrase)) for phrase in common_words("(in the name of)")
)
_HERE = frozenset(map(fold_words, common_words("(here)")))
"""Words for the match or auction in which somebody writes."""
_WHOSE = r"(?:de|d|du|of|von|with|mit|avec|against|gegen|contre) \w+"
_LONGEST = 10
"""Words that put a move elsewhere."""


def _folded(word: str) -> str:
    return any_of({fold_words(re.sub(r"\W+", " ", phrase)) for phrase in common_words(word)})


_ELSEWHERE = re.compile(
    rf"(?:(?:{_folded('(that goes)')}) )?(?:{_folded('(into)')}) (?:(?:{_folded('(article)')}) )?+"
    rf"(?:(?:\w+ ){{1,3}}?(?:{_folded('(contest)')})(?: (?:i mean|gemeint|{_WHOSE}))?"
    rf"|(?:{_folded('(contest)')}) (?:m?\d+|{_WHOSE})"
    rf"|(?:{_folded('(numbered)')}) \d+|m\d+)"
)
"""Matches what names another contest: *for the third auction*, *dans la partie de Ben*."""


def points_elsewhere(part: str) -> bool:
    """True for a part of a line that names another match, auction or round, and says nothing else.

    >>> [points_elsewhere(part) for part in ("that's for Ben's match", "in M471", "an Tag 5", "dans la partie de Ben")]
    [True, True, True, True]
    >>> [points_elsewhere(part) for part in ("in this auction", "on the table", "for the game", "en jeu")]
    [False, False, False, False]
    """
    said = fold_words(re.sub(r"\W+", " ", part)).split()
    return (
        len(said) <= _LONGEST and _HERE.isdisjoint(said) and _ELSEWHERE.fullmatch(" ".join(said)) is not None
    )


def speaks_for_somebody(part: str, known: Set[str]) -> bool:
    """True for a part of a line that says only whose move, word or choice it is: *on behalf of Eve*, *Eve decides*.

    `known`: the names of the players, folded.

    >>> [speaks_for_somebody(part, {"eve"}) for part in ("im Namen von Eve", "Eve's words", "Eve's turn")]
    [True, True, False]
    """
    said = fold_words(re.sub(r"\W+", " ", part)).split()
    others = ["s" if word.removesuffix("s") in known and word not in known else word for word in said]
    others = [word for word in others if word not in known]
    return (
        len(others) > 0
        and len(said) <= _LONGEST
        and any(word in known or word.removesuffix("s") in known for word in said)
        and " ".join(others) in _IN_THE_NAME_OF
    )
