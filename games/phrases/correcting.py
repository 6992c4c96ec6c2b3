"""Finds what a line that corrects itself takes back, and what it puts in its place: *4, no wait, 5*."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from games.phrases.lines import CORRECTIONS, is_correction, is_courtesy
from games.phrases.phrasebook import common_words, fold_word, fold_words
from games.phrases.tidying import tidy

CLAUSE = re.compile(r"[;:()!?…]|(?<!\d),|,(?! ?-?\d)|\.(?=\s|$)|\s[-–—]{1,2}\s")
"""Matches between the clauses of a line; no comma between two numbers, which may be a cell's."""
_LONGEST_CORRECTION = 5
"""Words that take back what is before them."""
_MOST_REPLACED = 4
"""Words at the end of a move, at most, that a correction may stand for."""
_TAKING_BACK = frozenset(fold_words(re.sub(r"\W+", " ", phrase)) for phrase in CORRECTIONS)
_DENYING = frozenset(map(fold_word, common_words("(taking back)")))
_BESIDE_DENYING = frozenset(map(fold_word, common_words("(beside taking back)")))
_PREFERRING = re.compile(
    r"^(?:rather|better|actually|(?:doch )?lieber|doch|besser|eher|plut[oô]t|mieux|make (?:it|that)|call it"
    r"|(?:mets|mettez|mettons|disons|fais|faites)(?: plut[oô]t)?|mach(?:en wir)?(?: lieber| doch)?(?=.* da?raus$))"
    r"\b[,:]? +(?=\w)",
    re.IGNORECASE,
)
"""Matches what stands before the second thought: *no, rather R5*, *no, make it 7*."""
_PREFERRED = re.compile(r"(?<=\w),? (?:rather|instead|lieber|eher|plut[oô]t|draus|daraus)\W*$", re.IGNORECASE)
_HEDGE = re.compile(
    r"(?<=\w),? (?:i (?:think|reckon|believe|guess|suppose)|i['’]?d say|(?:(?:ich )?(?:glaube?|denke?|schätze?|meine?)"
    r"|glaube? ich|denke? ich|schätze? ich|würde? ich sagen|meine? ich)(?: (?:ich )?mal)?"
    r"|je (?:crois|pense|dirais|suppose)(?: bien)?)(?=[.!…,]*$|, )",
    re.IGNORECASE,
)
"""Matches how somebody who is not quite sure says so behind what they say: *8 I think*."""


def around_correction(text: str) -> tuple[str, str]:
    """The texts before and behind the last part that takes back what is before it; empty if nothing does.

    >>> around_correction("rgoo d1. No, sorry, rgoo f4"), around_correction("rgoo d1, sorry")
    (('rgoo d1', 'rgoo f4'), ('', ''))
    >>> around_correction("7 no wait 8")
    ('7', '8')
    """
    parts = _list_parts(text)
    places = [place for place, part in enumerate(parts) if place and is_correction(part)]
    if not places:
        return "", ""
    return _join_meant(parts[: places[-1]]), _join_meant(parts[places[-1] + 1 :])


def _list_parts(text: str) -> Sequence[str]:
    """The clauses of a text, split around the words in them that take something back."""
    clauses = [clause.strip() for clause in CLAUSE.split(tidy(text)) if clause.strip()]
    return [part for clause in clauses for part in _split_at_correction(clause)]


def _split_at_correction(clause: str) -> Sequence[str]:
    """Split a clause around the words in it that take something back: before, these words, behind."""
    words = clause.split()
    plain = [fold_words(re.sub(r"\W+", " ", word)) for word in words]
    for start in range(len(words)):
        for end in range(min(start + _LONGEST_CORRECTION, len(words)), start, -1):
            if " ".join(plain[start:end]) in CORRECTIONS:
                pieces = words[:start], words[start:end], words[end:]
                return [" ".join(piece) for piece in pieces if piece]
    return [clause]


def _join_meant(parts: Sequence[str]) -> str:
    """The parts that are neither courtesy nor a correction, as one text."""
    return ", ".join([part for part in parts if not is_courtesy(part) and not is_correction(part)])


def with_ends_replaced(before: str, behind: str) -> Iterator[str]:
    """Yield the text with more and more of its last words replaced: of *ruby in row 1 … row 2*, *ruby in row 2*.

    >>> [*with_ends_replaced("ruby in row 1", "row 2")]
    ['ruby in row row 2', 'ruby in row 2', 'ruby row 2']
    """
    words = before.split()
    for count in range(1, min(len(words), _MOST_REPLACED + 1)):
        yield f"{' '.join(words[:-count])} {behind}"


def corrected(text: str) -> tuple[str, str]:
    """Return the texts before and behind a part that does nothing but take back; empty if none does.

    >>> corrected("R5... no, rather E4"), corrected("rgoo d1. No, sorry, rgoo f4")
    (('R5', 'E4'), ('rgoo d1', 'rgoo f4'))
    >>> corrected("rgoo d1. I changed my mind about it, rgoo f4"), corrected("I pass. No thanks")
    (('', ''), ('', ''))
    """
    parts = _list_parts(text)
    taking = [takes_back(part) for part in parts]
    if any(is_correction(part) and not takes for part, takes in zip(parts, taking, strict=True)):
        return "", ""
    last = max((place for place, takes in enumerate(taking) if takes and place), default=0)
    if not last:
        return "", ""
    before = [part.rstrip(" .") for part, takes in zip(parts[:last], taking, strict=False) if not takes]
    behind = [_PREFERRED.sub("", _PREFERRING.sub("", part)) for part in parts[last + 1 :]]
    said = without_hedge(_join_meant(before)), _join_meant(behind)
    return said if all(said) else ("", "")


def takes_back(part: str) -> bool:
    """Return True for words that do nothing but take back: *no wait*, *äh nein, lieber*."""
    said = fold_words(re.sub(r"\W+", " ", part)).split()
    return " ".join(said) in _TAKING_BACK or (
        not _DENYING.isdisjoint(said) and all(word in _DENYING | _BESIDE_DENYING for word in said)
    )


def without_hedge(text: str) -> str:
    """The text without the hedge behind it.

    >>> without_hedge("8 I think."), without_hedge("8 je crois"), without_hedge("I think 8")
    ('8.', '8', 'I think 8')
    """
    return _HEDGE.sub("", text)
