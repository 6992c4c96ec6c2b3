"""Tells words that sound like a move and mean another thing: how many, all but one, the hour, what a piece pays."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from games.phrases.lines import introduces, is_courtesy
from games.phrases.phrasebook import NUMBERS, common_words, fold_word, fold_words, plain_word

_EXCEPTIONS, _ALL_OF_THEM = ({*map(fold_words, common_words(word))} for word in ("(except)", "(all of them)"))
_COUNTED, _CLOCK, _DAYS, _PLAYS = (
    common_words(word) for word in ("(counted)", "(clock)", "(day)", "(plays)")
)

_OPENING = frozenset(map(fold_words, common_words("(opening)")))
_KEPT = tuple(f"{fold_words(phrase)} " for phrase in common_words("(kept)"))
_PIECE_PAYS, _PIECES_PAY = common_words("(piece pays)"), common_words("(pieces pay)")
_SIZES = frozenset(map(fold_words, common_words("(size)")))
_MINE = frozenset(("my", "mes", "meine"))
_BEFORE_PIECES = common_words("(article)") | common_words("(for)") | _MINE
_RESIGNING = frozenset(fold_words(re.sub(r"\W+", " ", phrase)) for phrase in common_words("(may resign)"))
_MAY_BE_PAST = frozenset(("put", "set"))
_PAST_OR_SUPPOSED = re.compile(r"\b(?:sorry|let['’]?s say) i (?:bid|put|set|pass)\b", re.IGNORECASE)
_COLON = re.compile(r"(?<=\S):(?=\s|$)|(?<=\S) :(?=\s|$)")
_IF_I = re.compile(r"(?:und |aber |na |hm+ )?(?!da |dass |ob |so |dann |wenn |weil )\w{3,} ich ")
"""Matches how a German condition begins without *wenn*: `biete ich 4, …`."""
_THEN = re.compile(rf"(?:{'|'.join(sorted(map(fold_words, common_words('(consequence)'))))})(?= |$)")
_NOT_TO = re.compile(
    r"(?:\bpas|\bnicht|n['’]t (?:fit|go|belong|work|come)|\bnot) (?:à|au|dans|en|sur|in|into|to|on|onto|auf|an)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:.!?()]")
_TIMES = frozenset(("mal", "times", "fois"))
_SEVERAL = sorted(word for word, number in NUMBERS.items() if word.isalpha() and number != "1")
_TIMES_IN_ONE = re.compile(rf"(?:\d+|{'|'.join(_SEVERAL)})mal")
"""Matches `dreimal`; `einmal` says nothing."""


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


def says_how_often(said: Sequence[str]) -> bool:
    """True for `I say 3 times thanks`, which counts something else."""
    plain = [plain_word(word) for word in said]
    return any(
        other in _TIMES and NUMBERS.get(word, word).isdecimal() for word, other in pairwise(plain)
    ) or any(_TIMES_IN_ONE.fullmatch(word) for word in plain)


def tells_time(said: Sequence[str]) -> bool:
    """True for `I play at 8` and `I go at 5 today`, which tell the hour."""
    plain = [plain_word(word) for word in said]
    is_day = not _DAYS.isdisjoint(plain)
    return any(
        (is_day or before in _PLAYS) and word in _CLOCK and (number in NUMBERS or number.isdecimal())
        for before, word, number in zip(plain, plain[1:], plain[2:], strict=False)
    )


def may_resign(text: str) -> bool:
    """True for words that may end the match instead of passing: *I quit*, *j'arrête*; not beside anything else."""
    clauses = (clause for clause in _CLAUSE.split(text) if clause.strip() and not is_courtesy(clause))
    said = {*map(_fold, clauses)}
    return bool(said) and said <= _RESIGNING


def tells_of_opening(text: str) -> bool:
    """True for words that name the first bid of an auction, and not whose: *Opening bid: 4*."""
    return _fold(text.partition(":")[0]) in _OPENING and ":" in text


def tells_what_stays(text: str) -> bool:
    """True for a line that says of a piece only that it stays in the hand: *I keep my emeralds*."""
    plain = _fold(text)
    kept = max((phrase for phrase in _KEPT if f"{plain} ".startswith(phrase)), key=len, default="")
    return bool(kept) and len(plain[len(kept) :].split()) == 1


def sets_condition(text: str) -> bool:
    """True for a German condition without *wenn*: *biete ich 4, bin ich pleite*; not for *biete ich 4, danke*."""
    first, *others = [_fold(clause) for clause in _CLAUSE.split(text) if clause.strip()] or [""]
    return _IF_I.match(first) is not None and any(map(_THEN.match, others))


def denies_place(text: str) -> bool:
    """True for a line that says where a piece does not go: *bobo ne va pas à la réserve*."""
    return _NOT_TO.search(text) is not None


def tells_behind_colon(text: str) -> bool:
    """True where a colon stands behind what tells, doubts or denies: *in my last mail: Hi there. I bid 3.*"""
    introductions = (text[: colon.end()] for colon in _COLON.finditer(text))
    return any(" " in said.rstrip(" :") and introduces(said) for said in introductions)


def tells_what_lies(text: str) -> bool:
    """True for *I put RG in*, which may tell of what was done; *I drop RG in* does not."""
    said = _fold(text).split()
    return said[-1:] == ["in"] and not _MAY_BE_PAST.isdisjoint(said)


def tells_past_or_supposes(text: str) -> bool:
    """True for *sorry I bid 3*, which may tell of an earlier bid, and *let's say I bid 3*; not for *sorry, I bid 3*."""
    return _PAST_OR_SUPPOSED.search(text) is not None


def tells_what_pays(text: str, is_piece: Callable[[str], bool]) -> bool:
    """True where a piece pays another one, or a number: *the ruby pays the sapphire*, *my diamonds pay 3*.

    What is paid with would be said the other way round. `is_piece`: of a folded word.
    """
    return any(_says_piece_pays(_fold(clause).split(), is_piece) for clause in _CLAUSE.split(text))


def _says_piece_pays(said: Sequence[str], is_piece: Callable[[str], bool]) -> bool:
    pays = _PIECE_PAYS | _PIECES_PAY if said and said[0] in _MINE else _PIECE_PAYS
    place = next((place for place, word in enumerate(said) if word in pays and place), 0)
    before = [word for word in said[:place] if word not in _BEFORE_PIECES]
    behind = next((word for word in said[place + 1 :] if word not in _BEFORE_PIECES), "")
    is_told = is_piece(behind) or behind in NUMBERS or behind.isdecimal()
    pieces = [word for word in before if word not in _SIZES]
    return bool(pieces) and is_told and all(map(is_piece, pieces))


def _fold(text: str) -> str:
    return fold_words(re.sub(r"\W+", " ", text))
