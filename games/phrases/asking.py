"""Tells a question that has no mark: *I bid 3, is that okay*; *je mise 3, est-ce permis*.

Many who write on a phone leave the mark out. Who asks wants an answer first, so nothing beside a question is played.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from games.phrases.phrasebook import NUMBERS, common_words, fold_words

_CLAUSE = re.compile(r"[,;:!?…()]|\.(?=\s|$)|\s[-–—]{1,2}\s")
_CONJUNCTION = re.compile(r"(?:and|but|so|or|well|ok|okay|hmm?|und|aber|oder|na|et|mais|ou|alors) ")
_NO_QUESTION = frozenset(("nicht", "nix", "nichts", "please", "pls", "bitte", "svp", "stp", "plait"))
"""Behind a German verb some make a statement of what may be a question: *darf ich nicht*; others, a request."""

_WORD = re.compile(r"[^\W_]+(?:['’-]\w+)*")
_LONGEST_QUESTION = 6
"""Words of a question at the end of a clause."""
_LONGEST_WHY_NOT = 5
_TALK = re.compile(
    r"(?<=[.!?…])(?=\s)|(?<=[\w)])(?=[,;–-]? (?:how|what's|wie|comment|quoi)\b)", re.IGNORECASE
)
"""Matches before a part of a text that may ask after its reader, with or without a mark before it."""
_LONGEST_TALK = 14
"""Words of a question that asks after somebody."""
_MOST_BEHIND = 2
"""Words behind the beginning of a question on what stands above it: `would that be legal`."""
_ALTERNATIVE = re.compile(r"(?:or|oder|ou) ")
_TAGS = frozenset(map(fold_words, common_words("(tag)")))
_PEOPLE = frozenset(
    ("you", "he", "she", "they", "we", "du", "ihr", "er", "sie", "wir", "tu", "vous", "il", "elle")
)

_ASTONISHED = re.compile(
    r"(?:what|was|quoi|wie|hm+|wow)?[,!?]* ?(?:for|für|pour) (?:just |only |nur |ein(?:en)? |un |a )?"
    rf"(?:\d+|{'|'.join(sorted(word for word in NUMBERS if word.isalpha()))})"
    r"[ -]?(?:points?|pointers?|punkte?|pts?|er)?"
    r"\s?\?+!*\s+(?=\w)",
    re.IGNORECASE,
)

_ALREADY = "already|schon|déjà|deja"
_OUTCRY = re.compile(
    r"(?P<before>(?:(?:ugh|uff|pff+|oh|ouch|ouf|puh|wow|what|whoa|hm+|was|wie|hui|hey|quoi|boah|oha|olala|god|gosh|my)"
    rf"[,!.…]*+ )*+)(?:(?P<first>{_ALREADY}) )?"
    rf"(?P<number>\d+|{'|'.join(sorted(word for word in NUMBERS if word.isalpha()))})"
    rf"(?: (?:from|by|for|von|für|pour|de) [^\W\d]{{2,12}})?(?: (?P<already>{_ALREADY}))?"
    r"\s?(?P<marks>[?!]++)\s++(?=\w)",
    re.IGNORECASE,
)
"""Matches an outcry at a bid: *ugh 4 already??*."""


def asks(text: str) -> bool:
    """Return True if one of the clauses of a text asks.

    >>> [asks(text) for text in ("I bid 3, is that okay", "Rubin nach oben, geht das", "Je passe, n'est-ce pas")]
    [True, True, True]
    >>> [asks(text) for text in ("Kommt GY auf 0,0 hin", "GY kommt auf 0,0")]
    [True, False]
    >>> [asks(text) for text in ("I bid 3, it is fine", "Ich passe, ist mir zu teuer", "Right, I bid 3")]
    [False, False, False]
    """
    clauses = [*map(_fold, filter(str.strip, _CLAUSE.split(text)))]
    if (
        clauses
        and _pattern("(question first)").match(clauses[0])
        and _NO_QUESTION.isdisjoint(clauses[0].split())
    ):
        return True
    is_tag = len(clauses) > 1 and _pattern("(question behind)").fullmatch(clauses[-1]) is not None
    return is_tag or any(map(_begins, dict.fromkeys(clauses))) or without_question(text) != text


def without_question(text: str) -> str:
    """The text without a question on it at its end, which many write without a mark and a comma.

    >>> without_question("I bid 3 is that ok"), without_question("Ich passe wenn das ok ist")
    ('I bid 3', 'Ich passe wenn das ok ist')
    """
    words = [*_WORD.finditer(text)]
    for place in range(max(1, len(words) - _LONGEST_QUESTION), len(words)):
        if _pattern("(asks leave)").fullmatch(_fold(text[words[place].start() :])):
            return text[: words[place - 1].end()]
    return text


def without_why_not(text: str) -> str:
    """The text without the words that make a question of a move behind them.

    >>> without_why_not("Pourquoi ne pas miser 5"), without_why_not("Why not")
    ('miser 5', 'Why not')
    """
    words = [*_WORD.finditer(text)]
    for before, word in pairwise(words[:_LONGEST_WHY_NOT]):
        if _pattern("(why not)").fullmatch(_fold(text[: before.end()])):
            return text[word.start() :]
    return text


def without_small_talk(text: str, is_said_of_moves: Callable[[str], bool]) -> str:
    """The text without questions that ask after its reader, of whose words none is said of moves.

    >>> without_small_talk("I bid 3. How was the trip, Ben?", str.isdecimal)
    'I bid 3.'
    >>> without_small_talk("How are you? I bid 3, is that ok?", str.isdecimal)
    'I bid 3, is that ok?'
    """
    if "?" not in text:
        return text
    kept = [part for part in _TALK.split(text) if not _asks_after(part, is_said_of_moves)]
    return "".join(kept).strip(" ,;") or text


def without_astonishment(text: str) -> str:
    """Return the text behind a mere price that somebody is astonished at; empty where none stands in front.

    >>> without_astonishment("Für 3 Punkte? Ohne mich."), without_astonishment("For 3?")
    ('Ohne mich.', '')
    """
    found = _ASTONISHED.match(text)
    return text[found.end() :] if found else ""


def without_outcry(text: str, leading: int) -> str:
    """The text behind an outcry at the bid that leads; unchanged where there is none.

    >>> without_outcry("ugh 4 already?? fine, 5", 4), without_outcry("4? 5", 4), without_outcry("5 already?? ok", 4)
    ('fine, 5', '4? 5', '5 already?? ok')
    """
    found = _OUTCRY.match(text)
    if found is None or "?" not in found["marks"]:
        return text
    is_outcry = found["before"] or found["first"] or found["already"] or len(found["marks"]) > 1
    is_of_leader = NUMBERS.get(fold_words(found["number"]), found["number"]) == str(leading)
    return text[found.end() :] if is_outcry and is_of_leader else text


def _asks_after(part: str, is_said_of_moves: Callable[[str], bool]) -> bool:
    said = _fold(part).split()
    return (
        part.rstrip(" ").endswith("?")
        and _pattern("(asks after)").match(" ".join(said)) is not None
        and len(said) <= _LONGEST_TALK
        and not any(is_said_of_moves(word) or any(map(str.isdigit, word)) for word in said)
    )


def asks_of_line_above(text: str) -> bool:
    """Return True for a line that asks whether what stands above it is allowed or wise.

    >>> [asks_of_line_above(text) for text in ("Is that ok?", "Darf man das", "Ou plutôt 4 ?", "How are you?")]
    [True, True, True, False]
    """
    said, has_mark = _fold(text), "?" in text
    if has_mark and (said in _TAGS or _ALTERNATIVE.match(said)):
        return True
    found = _pattern("(question)").match(said)
    is_short = found is not None and len(said[found.end() :].split()) <= _MOST_BEHIND
    is_of_it = has_mark and is_short and _PEOPLE.isdisjoint(said.split())
    return is_of_it or _pattern("(asks leave)").fullmatch(said) is not None


def _begins(clause: str) -> bool:
    begun = _CONJUNCTION.match(clause)
    start = begun.end() if begun else 0
    if found := _pattern("(why not)").match(clause, start):
        return found.end() < len(clause)  # alone it is no question: `5, why not`
    found = _pattern("(question)").match(clause, start)
    return found is not None and _NO_QUESTION.isdisjoint(clause.split())


@cache
def _pattern(word: str) -> re.Pattern[str]:
    """Matches the phrases under a word in brackets."""
    phrases = sorted({_fold(phrase) for phrase in common_words(word)}, key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(phrases)})(?= |$)")


def _fold(text: str) -> str:
    return fold_words(re.sub(r"[^\w]+", " ", text))
