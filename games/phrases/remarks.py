"""Finds the part of a line that says a move, beside remarks on it: *Je joue l'émeraude. Comme Eve, tiens !*

Who says a move with its verb may go on with what they like, of the game too, but for what leaves the move in doubt: a
condition, another move, a correction, somebody who is quoted, a number that may be one of a move. The words that do
are those of `(doubt)`, `(no comment)` and `(report)`; of these, `(firm)` do not beside a move that is said so. In a
remark that is clearly in one language, the words of the others are none: *das sieht nach was aus* tells of no past.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cache
from itertools import pairwise
from typing import TypeAlias

from games.phrases.comments import is_wish
from games.phrases.lines import (
    DOUBTFUL_PHRASE,
    FIRST_PERSON,
    REASONS,
    introduces,
    is_broken_off,
    is_correction,
    is_courtesy,
    is_never_last,
    puts_off,
)
from games.phrases.phrasebook import (
    LANGUAGES,
    NUMBERS,
    common_phrases,
    common_words,
    fold_word,
    fold_words,
    plain_word,
)
from games.phrases.sentences import CUT, END, PAST, adds_something, may_run_errand

Beside: TypeAlias = tuple[str, Sequence[str]]
"""A part of a line, and the other parts."""

_MOST = 5
"""Parts of a line."""
_LONGEST = 18
"""Words of a remark."""
_CLAUSE = re.compile(r"(?:[,;](?!\s*\d+(?:\W|$)(?!\s*[^\W\d]{2}))|\s[-–—]{1,2}|:)\s+(?=\w)")
_DOUBTS = common_words("(doubt)") | common_words("(errand)")
_REASONS = tuple(f"{fold_words(word)} " for word in REASONS)
_POINTS = re.compile(
    rf"\b(?:\d+|{'|'.join(sorted(number for number in NUMBERS if number.isalpha()))})[ -]?"
    rf"(?:{'|'.join(sorted(common_words('(points)')))})\b",
    re.IGNORECASE,
)
"""Matches what somebody counts."""
_NUMBER = rf"(?:\d+|{'|'.join(sorted(number for number in NUMBERS if number.isalpha()))})"
_THINGS_LEFT = (
    r"(?:cards?|coins?|tiles?|gems?|stones?|karten?|münzen?|steine?|cartes?|pièces?|gemmes?|tuiles?)"
)
_LEFT = re.compile(
    rf"\b{_NUMBER} {_THINGS_LEFT} (?:left|remaining|übrig)\b"
    rf"|\b(?:nur|blo(?:ß|ss)) noch {_NUMBER} {_THINGS_LEFT}\b"
    rf"|\b(?:plus|reste|restent) que {_NUMBER} {_THINGS_LEFT}\b",
    re.IGNORECASE,
)
"""Matches what somebody has left, which is no part of a move: *I have two cards left*."""
_GOES_ON = frozenset(fold_word(word) for word in common_words("(goes on)"))
_NEVER_FIRST = frozenset(fold_word(word) for word in common_words("(never first)"))
LIMITS = frozenset(("only", "just", "nur", "juste", "seulement"))
"""Begin a remark too that says nothing of a part of a move: `just enough`."""
_IDIOMS = re.compile(
    rf"\b(?:{'|'.join(sorted(map(fold_words, common_words('(idiom)')), key=len, reverse=True))})\b"
)
"""Matches what leaves nothing in doubt, though one of its words does: `take it or leave it`."""
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
_MUSING = tuple(f"{fold_words(word)} " for word in common_words("(musing)"))
_HENCE_I = re.compile(
    rf"\s(?:{'|'.join(map(re.escape, sorted(common_words('(hence)'))))})\s+"
    r"(?=(?:i|i['’]\w+|je|j['’]\w+)\s|\w+\s+ich\b)"
    r"|\s(?:donc|du coup|therefore|hence|deshalb|darum|drum)\s+(?=[^,;:.!?\d]{0,20}(?:\d|(?<=\s)[a-z-]{4}\s))",
    re.IGNORECASE,
)
"""Matches before a conclusion without a comma: `… so I pass`, `… also zieh ich groß`, `… donc rroo en g3`."""
_REASON_FIRST = re.compile(
    r"(?:because|cause|cos|since|as (?:i|my|we|there|nobody|no|everyone|everybody|the)\b|weil|da|puisque?|comme|vu que?"
    r"|parce que?|étant donné que?)\b[ '’]",
    re.IGNORECASE,
)
"""Matches the beginning of a reason in front of what it is for."""
_THEREFORE_I = re.compile(r"\s(?=(?:i|i['’]\w+|je|j['’]\w+)\s|j['’]|\w{3,} ich\b)", re.IGNORECASE)
"""Matches before what one does, where no comma stands before it: *since nobody can pay more I bid 1*."""
_SHORTEST_REASON = 3
"""Words of a reason with its *because*."""
_NO_CONDITION = re.compile(
    r"\b(?:(?:i ?m|i am) not going to|nobody else|no one else|somebody else|someone else|jemand anders"
    r"|niemand sonst|sonst niemand"
    r"|quelqu un d autre|personne d autre|as if|as though|comme si|als ob|als wenn|see (?:if|whether)"
    r"|(?:voir|verra|verrons) si"
    r"|(?:sehen|schauen|gespannt) ob)\b"
)
_FOR_LATER = re.compile(
    r"\b(?:needs?|saving|save|brauch[et]?|spare?|besoin|garde|economise)(?: (?!it|this|that|das|es|ca|cela)\w+){1,5}"
    r" (?:for|fur|fuer|pour) (?:tomorrow|later|morgen|spater|spaeter|demain|plus tard|la suite)\b"
)
"""Matches what is kept for another time, which puts no move off: *I need my coins for tomorrow*."""
_THEN = re.compile(
    r"(?:dann|danach|then|after that|alors|puis|apres|apres ca)\s+"
    rf"(?:{'|'.join(map(re.escape, sorted(map(fold_words, common_words('(then)')))))})\b"
    r"|so (?:wie|ein|eine|einen|viel|ist|sind|geht|macht|kommt)\b"
)
"""Matches what follows from a move by itself: `then she has company`; and *so* that compares: `so ein Luxus`."""
_GERMAN_VERBS = frozenset(("ich", "es", "das", "du", "ihr", "er", "sie", "wir", "man"))
"""Stand in a German clause that ends with a part of its verb."""
_NO_NOUN = frozenset(map(fold_word, common_words("(no noun)")))
_SHORTEST_NOUN = 3
"""Letters of a word that a number can count."""
_ONE = frozenset(("1", "one", "eins"))
"""No articles."""
_THINGS = frozenset(
    [
        *("card", "cards", "coin", "coins", "point", "karte", "karten", "münze", "münzen", "punkt", "stein"),
        *("steine", "carte", "cartes", "pièce", "pièces", "gemme"),
    ]
)
"""Things of the games that are counted."""
_AND = common_words("(and)")
_LOST = frozenset(map(fold_word, common_words("(past)")))
_LAST_OF_PAST = 5
"""Words among which a past that goes on with a move stands."""
_IDEA = re.compile(r"\b(?:an|une|eine) (?:idea|idee)\b")
_THAT_ONE = re.compile(r"\b(?:that|this) one\b", re.IGNORECASE)
_BUT = re.compile(r"(?:not |nicht |pas )?(\w{4,}) (?:but|aber|mais) (?:not |nicht |pas )?(\w{3,})")
"""Matches a praise with its blame: `boring but safe`."""
_MARKERS = {
    language: frozenset(map(fold_word, common_phrases(language).get("(marker)", ())))
    for language in LANGUAGES
}
_LEAST_MARKED = 2
"""Words of one language alone that show a remark to be in it."""


def parts_beside_remarks(
    text: str, *, counted: Set[str] | None = None, numbers: Set[str] | None = None
) -> Iterator[Beside]:
    """Yield each part of a line that all others are remarks on, with these.

    A remark stands in a sentence of its own, behind a comma, or before one where the part draws a conclusion of it, or
    says *I*. `counted`: where moves have numbers, the words of the game; a remark may then count only other things, and
    points, and tell numbers that are none of the `numbers` of moves.

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
            if (
                0 < len(remarks) < _MOST
                and not may_run_errand(said, remarks)
                and all(_is_remark(remark, counted, numbers) for remark in remarks)
            ):
                yield said, remarks


def _split(sentence: str) -> Iterator[Beside]:
    """The sentence whole, its beginning without the clauses behind, and its end where that is a conclusion."""
    yield sentence, ()
    if hence := [*_HENCE_I.finditer(sentence)][-1:]:
        yield sentence[hence[0].end() :], _CLAUSE.split(sentence[: hence[0].start()].rstrip(","))
    marks = [*_CLAUSE.finditer(sentence)]
    gives_reason = _REASON_FIRST.match(sentence) is not None
    for found in _THEREFORE_I.finditer(sentence) if gives_reason and not marks else ():
        if len(sentence[: found.start()].split()) >= _SHORTEST_REASON:
            yield sentence[found.end() :], [sentence[: found.start()]]
    for mark in marks if len(marks) < _MOST else ():
        if introduces(f"{sentence[: mark.start()]}:"):
            continue
        before, behind = sentence[: mark.start()], sentence[mark.end() :]
        yield before, _CLAUSE.split(behind)
        plain = f"{fold_words(behind)} "
        drawn = next(filter(plain.startswith, _HENCE), "") if mark is marks[-1] else ""
        is_told = mark[0].strip() == ":"  # what a colon introduces may be a plan, a quotation, another match
        if (mark is marks[-1] and (drawn or (not is_told and _says_i(plain)))) or (
            (is_told or gives_reason)
            and _NUMBERS.fullmatch(plain.strip())  # `the lily is mine: six and nine`
        ):
            yield " ".join(behind.split()[drawn.count(" ") :]), _CLAUSE.split(before)


def without_tallies(part: str) -> str:
    """A remark without points that are counted, and what somebody has left."""
    return _LEFT.sub(" it ", _POINTS.sub(" ", part))


def _says_i(plain: str) -> bool:
    return not _SPEAKERS.isdisjoint(plain.replace("'", " ").split()[:2])


def _is_remark(part: str, counted: Set[str] | None, numbers: Set[str] | None = None) -> bool:
    """True for a part of a line that leaves no move beside it in doubt."""
    part = _THAT_ONE.sub("it", without_tallies(part))
    words = _words(part)
    said = fold_words(" ".join(words))
    praised = _BUT.fullmatch(said)
    if _IDIOMS.fullmatch(said) or (
        praised is not None and (_stops("") | NUMBERS.keys()).isdisjoint(praised.groups())
    ):
        return True
    if (
        is_correction(part) or adds_something(part) or puts_off(said.split())
    ):  # as if it were courtesy: `haha, Spaß`
        return False
    if is_courtesy(part) or is_wish(words):
        return True
    return (
        1 < len(words) <= _LONGEST
        and (not is_never_last(fold_word(words[-1])) or _ends_with_particle(words))
        and (
            fold_word(words[0]) not in _NEVER_FIRST - LIMITS
            or _THEN.match(fold_words(" ".join(words))) is not None
        )
        and not _goes_on_in_past(said.split())
        and not _leaves_doubt(words)
        and (counted is None or not counts(part, numbers) or _counts_other_things(part, counted))
    )


def _goes_on_in_past(said: Sequence[str]) -> bool:
    """True for what goes on with a move that is past then: *I bid 5, and lost*, *je mise 5, et j'ai perdu*."""
    return not _AND.isdisjoint(said[:1]) and any(
        word in _LOST or PAST.fullmatch(word) for word in said[1:_LAST_OF_PAST]
    )


def _ends_with_particle(words: Sequence[str]) -> bool:
    """True for a German clause whose verb is parted: *dagegen komm ich nicht an*."""
    return words[-1] == "an" and not _GERMAN_VERBS.isdisjoint(words)


def _leaves_doubt(words: Sequence[str]) -> bool:
    """True if the words may take back, change or quote the move beside them, or make it a condition."""
    text = _FOR_LATER.sub(" ", _NO_CONDITION.sub(" ", fold_words(" ".join(words))))
    said = text.split()
    gives_reason = f"{text} ".startswith(_REASONS)
    if gives_reason and not _DOUBTS.isdisjoint(said):
        return True
    stops = _stops(_find_language(said))
    return (
        any(_is_doubtful(before, word, stops) for before, word in pairwise(["", *said]))
        or (not gives_reason and not _GOES_ON.isdisjoint(said))
        or DOUBTFUL_PHRASE.search(text) is not None
        or _IDEA.search(text) is not None
    )


def _is_doubtful(before: str, word: str, stops: Set[str]) -> bool:
    """True for a word that leaves a move in doubt; *would* does behind *I* and *you*."""
    if word in _WOULD:
        return before in _SPEAKERS | _SPOKEN_TO
    return word in stops and word not in NUMBERS


def _find_language(said: Sequence[str]) -> str:
    """The one language that the words are in; empty if they may be in another."""
    marked = {language: sum(word in _MARKERS[language] for word in said) for language in LANGUAGES}
    found = [language for language, count in marked.items() if count]
    return found[0] if len(found) == 1 and marked[found[0]] >= _LEAST_MARKED else ""


@cache
def _stops(language: str) -> Set[str]:
    """The words, folded, that leave a move in doubt in this language; in any if it is empty."""
    listed = [common_phrases(each) for each in ((language,) if language else LANGUAGES)]

    def words(name: str) -> Set[str]:
        return {fold_word(phrase) for phrases in listed for phrase in phrases.get(name, ())}

    found = words("(doubt)") | words("(no comment)") | words("(report)")
    found = found - words("(mild)") | ({"what"} if language in ("", "en") else set())
    # In German *was* asks at the beginning alone: *das sieht nach was aus*.
    return found - words("(firm)") - ({"was"} if language == "de" else set())


def counts(part: str, numbers: Set[str] | None = None) -> bool:
    """True if a number stands in it, or a word that may be one; `numbers`: those of moves, if no other counts."""
    said = (NUMBERS.get(word, word) for word in _words(without_tallies(part)))
    found = [word for word in said if any(map(str.isdigit, word))]
    return any(numbers is None or not word.isdecimal() or word == "1" or word in numbers for word in found)


def muses(part: str) -> bool:
    """True for a remark on what a move would do; a sum is none: *das wären dreizehn*.

    >>> [muses(part) for part in ("it would be silly", "ce serait bien", "das wär was", "that will do")]
    [True, True, True, False]
    """
    said = fold_words(re.sub(r"\W+", " ", part))
    return f"{said} ".startswith(_MUSING) and not counts(part)


def _counts_other_things(part: str, counted: Set[str]) -> bool:
    """True if each number stands before a thing that is not of the game: *39 options*, but not *2 cards*.

    What may be an article stands before anything else: *ein gutes Gefühl*. Reasons count nothing: *weil Ben 2 bietet*.
    """
    if not counts(part):
        return True
    words = [*filter(None, re.split(r"[^\w-]+", part))]
    plain = [*map(plain_word, words)]
    if f"{fold_words(' '.join(words))} ".startswith(_REASONS):
        return False
    is_german = _find_language([*map(fold_word, words)]) == "de"
    places = zip(plain, [*plain[1:], ""], [*words[1:], ""], strict=True)
    for place, (word, behind, written) in enumerate(places):
        if word in NUMBERS or any(map(str.isdigit, word)):
            is_noun = behind.isalpha() and len(behind) >= _SHORTEST_NOUN and fold_word(behind) not in _NO_NOUN
            is_game = behind in counted or behind in NUMBERS
            is_one = NUMBERS.get(word) == "1"
            is_article = is_one and word not in _ONE and place > 0  # `ich hab ein gutes Gefühl`
            is_counted = not is_one and not (is_german and written.islower())
            is_of_game = behind in _THINGS if is_article else is_game
            if not is_noun or is_of_game or not (is_article or is_counted):
                return False
    return True


def _words(part: str) -> Sequence[str]:
    return [*filter(None, (plain_word(word) for word in re.split(r"[^\w-]+", part)))]
