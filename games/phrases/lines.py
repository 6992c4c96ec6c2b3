"""Takes the courtesy off a line, and says whether what is left may be a move: greeting, thanks, names, corrections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter

from games.phrases.comments import without_group
from games.phrases.elsewhere import points_elsewhere
from games.phrases.phrasebook import (
    GAP,
    NUMBERS,
    common_words,
    fold_word,
    fold_words,
)
from games.phrases.tidying import tidy
from games.phrases.words import POLITE, WORDS
from games.reading import fold

LONGEST = 300
"""Characters of a line that is read as a phrase."""
MOST_WORDS = 60

_PARTS = re.compile(r"((?<![.!?…;])[.!?…;]+(?=\s|$)|,(?! ?-?\d)|(?<=\D),|:(?=\s|$)|\s-{1,2}(?=\s))")
_QUOTED = re.compile(r"«|[“„][^”“]*[”“]|\"[^\"]*\"")
COURTESY = common_words("(courtesy)")
GREETINGS = common_words("(greeting)")
GROUPS = common_words("(group)")
LEADS = common_words("(lead)")
TAGS = common_words("(tag)")
CORRECTIONS = common_words("(correction)")
INTERRUPTIONS, EXCLAMATIONS, WITHDRAWALS = (
    frozenset(fold_words(phrase.replace("-", " ")) for phrase in common_words(word))
    for word in ("(interruption)", "(oops)", "(withdrawal)")
)
MORE = common_words("(more)")
REASONS = common_words("(reason)")
DOUBTS = common_words("(doubt)") | common_words("(errand)")
DOUBTFUL_PHRASE = re.compile(
    rf"\b(?:{'|'.join(sorted({fold_words(phrase) for phrase in DOUBTS if ' ' in phrase}))})\b"
)
"""Matches what of a doubt has more than one word: `as long as`, `à condition`."""
OTHERS = common_words("(other)")
ARTICLES = common_words("(article)")
ASKING = tuple(f"{fold_words(words)} " for words in common_words("(asking)") | common_words("(telling)"))
_OTHER_SHAPES = [
    (before.lstrip(), behind.rstrip())
    for before, gap, behind in (phrase.partition(GAP) for phrase in map(fold_words, OTHERS))
    if gap
]
_REASON = re.compile(
    rf"(?<=\w)[,;]? (?:{'|'.join(map(re.escape, sorted(REASONS, key=len, reverse=True)))})\b", re.IGNORECASE
)
_BY_LETTER = groupby(sorted(WITHDRAWALS), key=itemgetter(0))
_WITHDRAWN = "|".join(
    f"{letter}(?:{'|'.join(re.escape(each[1:]) for each in phrases)})" for letter, phrases in _BY_LETTER
)
"""Matches what takes back; by its first letter, for each word of a text is compared with all of them."""
_WITHDRAWAL = re.compile(rf"(?<!\bnever )(?<!\bnot )(?<!\bjamais )(?<!\bnie )\b(?:{_WITHDRAWN})\b")
_INTRODUCTION, _OPEN_INTRODUCTION = (
    re.compile(rf"{not_mine}\b(?:{'|'.join(sorted({*map(fold_words, common_words(word))}))})$")
    for not_mine, word in (
        (r"(?<!\bi )(?<!\bich )(?<!\bje )", "(introduction)"),
        ("", "(open introduction)"),
    )
)
_LONGEST_ASKING = 6
"""Words with which a question begins, at most."""
_ENDS = frozenset(".!?…;")
_DENIALS = frozenset(("no", "nope", "nah", "nein", "nee", "non", "nan"))
_SENTENCE = re.compile(r"[^.!?…]*")
_CONJUNCTIONS = frozenset(("and", "or", "et", "ou", "und", "oder"))
_NEVER_LAST = frozenset(map(fold_word, common_words("(never last)")))
"""A reason or remark that ends with one of them is cut off."""
_CORRECTIONS = tuple(f"{phrase} " for phrase in CORRECTIONS)
_AND = re.compile(r" (?:and|et|und|&) ")
_TITLE = re.compile(rf"^(?:{'|'.join(sorted(map(fold_words, common_words('(title)'))))}) ")
FIRST_PERSON = frozenset(("i", "je", "j", "ich"))
_PUT_OFF = frozenset(map(fold_word, common_words("(puts off)")))
"""Words beside a please that want no move, or not yet."""
PLEASE = ("please", "pls", "bitte", "s il te plait", "s il vous plait", "svp", "stp")


def is_courtesy(text: str, names: Iterable[str] = ()) -> bool:
    """True if the line greets, thanks or closes, and says nothing else.

    >>> is_courtesy("Thanks for the game, Ben!", names=["Ben"]), is_courtesy("Thanks, pass it on")
    (True, False)
    """
    if len(text) > LONGEST:
        return False
    plain = tidy(text)
    known = {fold_word(name) for name in names}
    return all(_is_courtesy(part, known) or _is_name(part, known) for part, _ in _split(plain))


def is_correction(text: str) -> bool:
    """True if the line takes back what was written above it.

    >>> [is_correction(text) for text in ("No wait, 4.", "Sorry, forget it. I write tonight.", "Yeah, sure", "Oops!")]
    [True, True, True, True]
    >>> [is_correction(text) for text in ("No hurry!", "Oops, sorry!", "I'll never forget that evening with you")]
    [False, False, False]
    """
    parts = _split(tidy(text[:LONGEST]))
    said = [fold_words(re.sub(r"[-()]", " ", part)) for part, _ in parts]
    if not INTERRUPTIONS.isdisjoint(said) or _interrupts(parts) or any(map(points_elsewhere, said)):
        return True
    if not EXCLAMATIONS.isdisjoint(said):
        others = [part for part, word in zip(parts, said, strict=True) if word not in EXCLAMATIONS]
        return not others or not all(_is_courtesy(part, frozenset()) for part, _ in others)
    begun = (f"{' '.join(said[place:])} " for place in range(len(said)))
    return any(words.startswith(_CORRECTIONS) for words in begun) or (
        _WITHDRAWAL.search(" ".join(said)) is not None
    )


def _interrupts(parts: Sequence[tuple[str, str]]) -> bool:
    """True if two parts with a comma between them take back what stands before them: *yeah, sure*."""
    return any(
        mark == "," and fold_words(f"{part} {behind}") in INTERRUPTIONS
        for (part, mark), (behind, _) in pairwise(parts)
    )


@dataclass(frozen=True, slots=True)
class Core:
    """The words of a line without the courtesy around them."""

    words: Sequence[str]
    """As they were typed, with blanks for apostrophes."""
    is_question: bool
    is_announced: bool = False
    """Words such as `My move:` stand before them."""


def find_core(text: str, names: Iterable[str] = ()) -> Core | None:
    """Return the part of a line that may be a move; None if there is none, or if other things are said beside it."""
    return _find_core(text, frozenset(map(fold_word, names))) if len(text) <= LONGEST else None


@lru_cache(maxsize=1000)
def _find_core(text: str, known: frozenset[str]) -> Core | None:
    if len(_QUOTED.findall(text)) > 1:  # about words, not with them: `« un » et « le »`
        return None
    if _says_other(text):
        return None
    plain = _without_reason(tidy(text))
    said = None if plain is None else _take_off_courtesy(plain, known)
    if said is None:
        return None
    parts, polite = said.parts, said.polite
    if any(not _is_one_with(before, end, after) for (before, end), (after, _) in pairwise(parts)):
        return None
    words = [word for part, _ in parts for word in _words(part)] + polite
    if not words or len(words) > MOST_WORDS or is_broken_off(words) or _asks(words) or _is_denied(words):
        return None
    if _says_other(" ".join(words)):
        return None
    return Core(words, said.is_question, said.is_announced)


def find_parts(text: str, names: Iterable[str] = ()) -> Sequence[Sequence[Sequence[str]]]:
    """Return the words of each part of a line that does not ask: all, and without courtesy and reason.

    >>> find_parts("Hi Ben, the ruby one; my big coin", names=["Ben"])[-1]
    [['the', 'ruby', 'one'], ['my', 'big', 'coin']]
    """
    if len(text) > LONGEST or "?" in text or len(_QUOTED.findall(text)) > 1 or _says_other(text):
        return ()
    plain, known = tidy(text.replace(";", ",")), frozenset(map(fold_word, names))
    said = [_take_off_courtesy(each, known) for each in (plain, _without_reason(plain)) if each]
    if not all(said):
        return ()
    whole = _split(plain)
    ways = [each.parts for each in said if each]
    if not any(_is_name(part, known) for part, _ in whole):  # `Ben, bid 3` asks somebody else
        ways = [whole, *ways]
    found = [[words for part, _ in way if (words := _words(part))] for way in ways]
    return [
        way
        for place, way in enumerate(found)
        if way not in found[:place] and not any(_asks(words) or _is_denied(words) for words in way)
    ]


def introduces(text: str) -> bool:
    """Return True for words behind which a move is told of, doubted or denied: *Ben wrote:*, *what if*, *Tomorrow:*.

    >>> [introduces(text) for text in ("Ben said:", "Ich dachte an", "As I said:", "I don't want it", "My move:")]
    [True, True, False, False, False]
    """
    if len(text) > LONGEST or is_courtesy(text):
        return False
    said = fold_words(re.sub(r"[^\w]+", " ", text))
    mark = text.strip()[-1:]
    if mark == ":":
        return said in DOUBTS or bool(_INTRODUCTION.search(said) or _OPEN_INTRODUCTION.search(said))
    return mark not in _ENDS and _OPEN_INTRODUCTION.search(said) is not None


def denies(text: str) -> bool:
    """True for a mere no, with courtesy or a laugh: *lol no*, *Nee, danke*.

    >>> denies("lol no"), denies("no idea"), denies("thanks")
    (True, False, False)
    """
    said = fold_words(re.sub(r"\W+", " ", text)).split()
    return not _DENIALS.isdisjoint(said) and all(word in _DENIALS | COURTESY for word in said)


def _is_denied(words: Sequence[str]) -> bool:
    """True for a move that ends with a no: *I bid 3 lol nope*."""
    return len(words) > 1 and fold_word(words[-1]) in _DENIALS


def _asks(words: Sequence[str]) -> bool:
    """True for a question without its mark, and for a feeling about what was done: *Soll ich …*, *sorry that I …*."""
    return f"{fold_words(' '.join(words[:_LONGEST_ASKING]).replace('-', ' '))} ".startswith(ASKING)


def _says_other(text: str) -> bool:
    """True for a whole answer that is no move, as it stands in the list or begins and ends: `… is in the pool`."""
    plain = fold_words(re.sub(r"[,.!;:']", " ", text))
    return plain in OTHERS or any(
        plain.startswith(one) and plain.endswith(other) for one, other in _OTHER_SHAPES
    )


def is_broken_off(words: Sequence[str]) -> bool:
    """True where a sentence begins in the middle of another one, or ends: `on to the I'm going with citrine and`."""
    plain = [fold_word(word) for word in words]
    ends_in_code = words[-1].isupper() and any(map(str.islower, words))  # `activate ET`
    return (plain[-1] in _CONJUNCTIONS and not ends_in_code) or any(
        one in ARTICLES and other in ("i", "je", "j", "ich") for one, other in pairwise(plain)
    )


def is_never_last(word: str) -> bool:
    """True for a folded word after which a reason or remark goes on: `au lieu de`, `because of the`."""
    return word in _CONJUNCTIONS or word in _NEVER_LAST


def _words(part: str) -> list[str]:
    return fold(part).replace("'", " ").split()


@dataclass(frozen=True, slots=True)
class _Said:
    """The parts of a line without the courtesy around them, each with the mark that ends it."""

    parts: list[tuple[str, str]]
    polite: list[str]
    is_question: bool
    is_announced: bool


def _take_off_courtesy(plain: str, known: frozenset[str]) -> _Said | None:
    """Take greetings, leads, thanks and names off a line; None if nothing is left, or somebody else is asked."""
    said = _split(plain)
    begun = _take_off_beginning(said, known)
    if begun is None:
        return None
    parts, is_announced = begun
    behind = parts[1:]  # `I bid 4, take that back`
    if _interrupts(behind) or any(is_correction(part) for part, _ in behind):
        return None
    if len(parts) > 2 and _is_signed(parts[-3:]):
        parts = parts[:-1]
    parts, ending = _take_off_end(parts, known)
    is_to_somebody = any(_is_name(part, known) for part, _ in ending)
    is_asked = any("?" in mark and fold_words(part) in TAGS for part, mark in ending)  # `I pass, OK?`
    if not parts and any(is_correction(part) for part, _ in said[1:]):  # `It's yours. Nah.`
        return None
    if not parts and said and not is_to_somebody:  # what sounds like courtesy may be a move: `it's all yours`
        parts = [max(said, key=lambda part: len(part[0]))]
    if not parts or (is_to_somebody and fold_words(parts[0][0]).startswith(PLEASE)):  # `Please pass, Ben`
        return None
    polite = [part.strip() for part, _ in ending if part.strip().lower() in POLITE][:1]
    return _Said(parts, polite, is_asked or "?" in parts[-1][1], is_announced)


def _take_off_beginning(
    parts: list[tuple[str, str]], known: frozenset[str]
) -> tuple[list[tuple[str, str]], bool] | None:
    """The parts behind greetings and leads, and whether these announce them; None for `It's up to you: bid 4`."""
    is_announced, parts = False, [*parts]
    while parts and ((leads := _leads(parts[0][0])) or _is_courtesy(parts[0][0], known)):
        part, mark = parts.pop(0)
        if mark == ":" and not leads and not _is_address(part, known):
            return None
        is_announced |= leads and mark == ":"
    return _without_address(parts, known), is_announced


def _leads(part: str) -> bool:
    """True for what announces a move, or a no with courtesy before it: `puh nee`."""
    said = fold_words(part)
    *others, last = said.split() or [""]
    return said in LEADS or (bool(others) and last in _DENIALS and COURTESY.issuperset(others))


def _take_off_end(
    parts: list[tuple[str, str]], known: frozenset[str]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The parts before thanks and names, and these, in the order in which they stand."""
    count = len(parts)
    while count and (_is_courtesy(parts[count - 1][0], known) or _is_name(parts[count - 1][0], known)):
        count -= 1
    return parts[:count], parts[count:]


def _without_address(parts: list[tuple[str, str]], known: frozenset[str]) -> list[tuple[str, str]]:
    """The parts without a name in front of what its writer does: `Ben, I bid 3`, but not `Ben, bid 3`."""
    is_address = len(parts) > 1 and _is_name(parts[0][0], known) and parts[0][1] in (",", "!")
    said = {word for part, _ in parts[1:] for word in _words(part.lower())}
    return parts[1:] if is_address and not FIRST_PERSON.isdisjoint(said) else parts


def _is_one_with(before: str, mark: str, after: str) -> bool:
    """True if the parts on both sides of this mark are one sentence; `2 - 3` may be a span."""
    if mark in ("-", "--"):
        return not (before.split()[-1].isdigit() and after.split()[0].isdigit())
    return mark in ("", ",", ":") or (mark == "." and _goes_on_with(after))


def _goes_on_with(part: str) -> bool:
    """True if this sentence says more of the move in the one before it: `Pay 1 and 2.`"""
    words = f"{fold_words(part)} "
    return any(words.startswith(f"{phrase} ") for phrase in MORE)


def _without_reason(text: str) -> str | None:
    """The text without the reason behind a move; None if the reason leaves in doubt that it is one.

    >>> _without_reason("I bid 3 because I want it. Cheers"), _without_reason("bid 3 because I thought I could")
    ('I bid 3. Cheers', None)
    """
    found = _REASON.search(text)
    if found is None:
        return text
    reason = _SENTENCE.match(text, found.end())[0]  # type: ignore[index]
    if not reason.strip():
        return None
    words = [fold_word(word) for word in re.split(r"[\s,;:()'-]+", reason)]
    is_past = any(word.endswith("ed") and word not in ("need", "indeed") for word in words)
    last = "".join([*filter(None, words)][-1:])
    is_denied = last in ("nicht", "not", "pas")
    has_doubt = DOUBTFUL_PHRASE.search(" ".join(filter(None, words))) is not None
    if (
        is_past
        or is_denied
        or is_never_last(last)
        or has_doubt
        or any(word in DOUBTS or any(map(str.isdigit, word)) for word in words)
    ):
        return None
    return text[: found.start()] + text[found.end() + len(reason) :]


def _split(text: str) -> list[tuple[str, str]]:
    """The parts of a line, each with the mark that ends it."""
    pieces = _PARTS.split(text)
    found: list[tuple[str, str]] = []
    for part, mark in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        if part.strip():
            found.append((part, mark.strip()))
        elif found and "?" in mark:
            found[-1] = (found[-1][0], f"{found[-1][1]}?")
    return found


def _is_courtesy(part: str, names: Set[str]) -> bool:
    words = without_group(fold_words(part.replace("-", " "))).split()
    if not words:
        return True
    if len(words) == 1 and words[0] in NUMBERS:
        return False
    if puts_off(words):
        return False
    if words[0] in GREETINGS and " ".join(words[1:]) in GROUPS:
        return True
    greets = words[0] in GREETINGS and len(words) <= 4
    spoken = part.replace("-", " ").replace("'", " ").split()
    return all(
        (word in COURTESY and not (word in WORDS and spoken[place].isupper()))
        or (greets and (word in names or (place and spoken[place][:1].isupper())))
        for place, word in enumerate(words[: len(spoken)])
    )


def puts_off(words: Sequence[str]) -> bool:
    """True for words, folded, that ask for another time or for nothing: *please tomorrow*, *not yet, please*."""
    said = f" {' '.join(words)} "
    return not (DOUBTS | _PUT_OFF).isdisjoint(words) and any(f" {please} " in said for please in PLEASE)


def _is_address(part: str, names: Set[str]) -> bool:
    """True if this part, at the beginning of a line, greets: `Hi Ben:`"""
    words = fold_words(part).split()
    return not words or words[0] in GREETINGS or " ".join(words) in names


def _is_signed(last: Sequence[tuple[str, str]]) -> bool:
    """True for a sentence that thanks, and a name that is not a player's: `…. Merci, Thérèse`.

    Not for `Play ruby, please, Above`, where what stands behind the courtesy is a part of the move.
    """
    (_, end), (thanks, mark), (name, _) = last
    is_name = len(name.split()) == 1 and name.strip().istitle() and fold_word(name.strip()) not in NUMBERS
    is_thanks = fold_words(thanks) not in PLEASE and _is_courtesy(thanks, frozenset())
    return is_name and mark in (",", "") and end[:1] in (".", "!", "…") and is_thanks


def _is_name(part: str, names: Set[str]) -> bool:
    """True if this part, at the end of a line, names players, as if to address or to sign."""
    *others, last = (_TITLE.sub("", name) for name in _AND.split(fold_words(part)))
    return last in names and all(other in names for other in others)
