"""Finds the sentence of a line that may be a move, beside others that say nothing of one.

*I bid 3. What a cold day!* is a move as if both sentences stood on lines of their own. The others may say what they
like but for what leaves the move in doubt: a question, a past, a denial, somebody else, a number, or a word that is
said of moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set

from games.phrases.comments import is_wish
from games.phrases.lines import DOUBTFUL_PHRASE, GREETINGS, is_correction, is_courtesy
from games.phrases.phrasebook import common_words, fold_word, fold_words, plain_word

END = re.compile(
    r"(?<=[^\W\d_]{2}[.!…])\s+(?=[^\W\d_])|(?<=\d[.!…])\s+(?=[^\W\d_])|(?<=[!…])\s+(?=\w)"
    r"|(?<=[.!…]\)|\)[.!…])\s+(?=[^\W\d_])"
    r"|(?<=[^\W\d_]{3}\.)(?<!\b(?:max|min|vol|fig|num|art|abs)\.)\s+(?=\d{1,2}[.!]?\s*$)"
)
_BEGINNINGS = (
    "the a an my in on at to of for from with and der die das den dem ein eine einen mein meine im am zu von für aus "
    "mit und le la les un une mon ma dans sur à de du des pour avec et"
)
CUT = re.compile(rf"(?:{_BEGINNINGS.replace(' ', '|')})(?: [\w'’-]+){{1,3}}", re.IGNORECASE)
"""Matches a few words without an end that may begin a sentence: `passwords. The small`, `like you. In a large`."""
_AND = re.compile(r"\s(?:and|und|et|&)\s+(?=\w)", re.IGNORECASE)
_ADDED = re.compile(r"(?:and|plus|und|et|sowie) (?:a|an|ein|eine|einen|un|une|some|\w{2,6}) \w+")
"""Matches something that is added, without a verb."""
_MOST = 4
"""Sentences of a line."""
_LONGEST = 16
"""Words of a sentence that says nothing of a move."""
_ERRANDS, _GOING = (frozenset(map(fold_word, common_words(word))) for word in ("(errand)", "(going)"))
_MILD = common_words("(mild)")
_STOPS = (common_words("(doubt)") | common_words("(no comment)") | common_words("(report)")) - _MILD
PAST = re.compile(r".{2,}[^e]ed|ge.{3,}(?:t|en)|.{2,}é(?:e?s?)")
"""Matches a word that tells of what was done: *wanted*, *gespielt*, *joué*."""


def sentences_with_move(text: str, avoid: Set[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each sentence of a line of which all others, yielded with it, say nothing of a move.

    `avoid`: words said of moves, and names.

    >>> [*sentences_with_move("I bid 3. What a cold day!", frozenset())]
    [('I bid 3.', ['What a cold day!'])]
    >>> [*sentences_with_move("I bid 3. Or should I wait?", frozenset())]
    []
    """
    sentences = END.split(text.strip())
    if "?" in text or not 1 < len(sentences) <= _MOST:
        return
    chatting = [_is_chat(sentence, avoid) for sentence in sentences]
    if sum(chatting) >= len(sentences) - 1 and not CUT.fullmatch(sentences[-1]):
        for place, sentence in enumerate(sentences):
            others = [*sentences[:place], *sentences[place + 1 :]]
            if all(chatting[:place] + chatting[place + 1 :]) and not may_run_errand(sentence, others):
                yield sentence, others


def with_wish_apart(text: str) -> str:
    """The text with a comma before what it closes with, where that is joined to the move.

    >>> with_wish_apart("bid 4 and have a nice evening"), with_wish_apart("the 4 and the 5")
    ('bid 4, have a nice evening', 'the 4 and the 5')
    """
    joined = [*_AND.finditer(text)][-1:]
    for found in joined:
        behind = text[found.end() :]
        if is_wish(_fold(behind)) or (is_courtesy(behind) and _fold(behind)[0] in GREETINGS):
            return f"{text[: found.start()].rstrip(' ,')}, {behind}"
    return text


def adds_something(text: str) -> bool:
    """True for what nobody can have here: *Sure, 9. And a pony.*

    >>> adds_something("And a pony."), adds_something("and my coffee is cold")
    (True, False)
    """
    return _ADDED.fullmatch(" ".join(_fold(text))) is not None


def may_run_errand(said: str, others: Iterable[str]) -> bool:
    """True for what sounds like a pass and may be going out: *I'm out*, beside *walking the dog*."""
    return not _GOING.isdisjoint(_fold(said)) and any(not _ERRANDS.isdisjoint(_fold(each)) for each in others)


def _fold(text: str) -> Sequence[str]:
    return fold_words(re.sub(r"\W+", " ", text)).split()


def without_address(text: str, names: Iterable[str]) -> str:
    """The text without a name behind three words or more that are a sentence of their own.

    >>> without_address("Nice game so far, Ben! I bid 3.", ["Ben"])
    'Nice game so far! I bid 3.'
    """
    somebody = "|".join(map(re.escape, names))
    if not somebody:
        return text
    return re.sub(
        rf"^((?:[\w'’-]+ ){{2,}}[\w'’-]+),? (?:{somebody})(?=[.!…] )", r"\1", text, flags=re.IGNORECASE
    )


def _is_chat(sentence: str, avoid: Set[str]) -> bool:
    """True for a sentence that leaves no move beside it in doubt."""
    said = ", ".join(part for part in sentence.split(",") if not is_courtesy(part))  # `…, à demain`
    words = [*filter(None, (plain_word(word) for word in re.split(r"[^\w-]+", said)))]
    if is_correction(sentence) or adds_something(sentence):
        return False
    if is_courtesy(sentence) or is_wish(words):
        return True
    return (
        1 < len(words) <= _LONGEST
        and not any(_is_doubtful(word, avoid) for word in words)
        and DOUBTFUL_PHRASE.search(fold_words(" ".join(words))) is None
    )


def _is_doubtful(word: str, avoid: Set[str]) -> bool:
    plain = fold_word(word)
    return (
        plain in _STOPS
        or plain in avoid
        or any(map(str.isdigit, word))
        or (plain not in _MILD and PAST.fullmatch(word) is not None)
    )
