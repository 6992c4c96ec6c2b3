"""Tells a question that has no mark: *I bid 3, is that okay*; *je mise 3, est-ce permis*.

Many who write on a phone leave the mark out. Who asks wants an answer first, so nothing beside a question is played.
"""

from __future__ import annotations

import re
from functools import cache

from games.phrases.phrasebook import common_words, fold_words

_CLAUSE = re.compile(r"[,;:!?…()]|\.(?=\s|$)|\s[-–—]{1,2}\s")
_CONJUNCTION = re.compile(r"(?:and|but|so|or|well|ok|okay|hmm?|und|aber|oder|na|et|mais|ou|alors) ")
_NO_QUESTION = frozenset(("nicht", "nix", "nichts", "please", "pls", "bitte", "svp", "stp", "plait"))
"""Behind a German verb some make a statement of what may be a question: *darf ich nicht*; others, a request."""


def asks(text: str) -> bool:
    """Return True if one of the clauses of a text asks.

    >>> [asks(text) for text in ("I bid 3, is that okay", "Rubin nach oben, geht das", "Je passe, n'est-ce pas")]
    [True, True, True]
    >>> [asks(text) for text in ("I bid 3, it is fine", "Ich passe, ist mir zu teuer", "Right, I bid 3")]
    [False, False, False]
    """
    clauses = [*map(_fold, filter(str.strip, _CLAUSE.split(text)))]
    is_tag = len(clauses) > 1 and _pattern("(question behind)").fullmatch(clauses[-1]) is not None
    return is_tag or any(map(_begins, dict.fromkeys(clauses)))


def _begins(clause: str) -> bool:
    begun = _CONJUNCTION.match(clause)
    found = _pattern("(question)").match(clause, begun.end() if begun else 0)
    return found is not None and _NO_QUESTION.isdisjoint(clause.split())


@cache
def _pattern(word: str) -> re.Pattern[str]:
    """Matches the phrases under a word in brackets."""
    phrases = sorted({_fold(phrase) for phrase in common_words(word)}, key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(phrases)})(?= |$)")


def _fold(text: str) -> str:
    return fold_words(re.sub(r"[^\w]+", " ", text))
