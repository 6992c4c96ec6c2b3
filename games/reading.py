"""Reading what people type: typography of phones, words and their prefixes, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase, ascii_uppercase

from games.contract import AmbiguousMove, InvalidMove

_FOLDS = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "’": "'",
        "\u00a0": " ",
        "\u202f": " ",
        "\u2007": " ",
        "–": "-",
        "−": "-",
        "\u2010": "-",
        "\u2011": "-",
        "—": "--",
    }
)
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)
_NUMBER = re.compile(r"[0-9]{1,6}")
_LONGEST_ECHO = 24
LONGEST_MOVE = 1000
"""Characters of one move as it is typed; the longest that is legal, written with every word in full, has some 600."""


def fold(text: str) -> str:
    """The text with plain quotes, dashes and blanks; runs of blanks are made one, case is kept."""
    return " ".join(text.translate(_FOLDS).split())


def lower(text: str) -> str:
    """The text with `A` to `Z` made small, and nothing else: `str.lower` makes a `k` of the sign for kelvin."""
    return text.translate(_LOWER)


def upper(text: str) -> str:
    """The text with `a` to `z` made capitals, and nothing else: `str.upper` makes `SS` of an `ß`."""
    return text.translate(_UPPER)


def refuse_long(text: str) -> None:
    """Called before a move is read, so that no text can make that last long. Raises InvalidMove (`too-long`)."""
    if len(text) > LONGEST_MOVE:
        raise InvalidMove(
            "too-long",
            "This line has more than {most} characters and is too long for a move. Write one move on a line.",
            most=LONGEST_MOVE,
        )


def split_line(text: str) -> list[str]:
    """The lower-case words of one line, without extra blanks and one final full stop.

    A code that may end in a full stop of its own (`RB..`) loses it when it stands last: its reader puts it
    back. Raises InvalidMove (`empty`, `too-long`).
    """
    refuse_long(text)
    words = lower(fold(text)).removesuffix(".").split()
    if not words:
        raise InvalidMove("empty", "There is no move on this line. Write one of the moves that are listed.")
    return words


def read_word(word: str, possible: Iterable[str], known: Iterable[str] = ()) -> str:
    """The word meant: written in full, or a prefix that only one of the `possible` words has.

    `possible` are the words of the present prompt; words that are merely `known` (moves of another phase, as
    a plan may hold) must be written in full. Raises InvalidMove (`unknown-word`) or AmbiguousMove
    (`ambiguous-word`).
    """
    candidates = tuple(dict.fromkeys(possible))
    if word in candidates or word in known:
        return word
    meant = [candidate for candidate in candidates if word and candidate.startswith(word)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise AmbiguousMove(
            "ambiguous-word",
            "“{word}” could mean {candidates}. Write the word in full.",
            word=echo(word),
            candidates=", ".join(meant),
        )
    if candidates:
        raise InvalidMove(
            "unknown-word",
            "“{word}” is not understood here. You can begin with: {candidates}.",
            word=echo(word),
            candidates=", ".join(candidates),
        )
    raise InvalidMove("unknown-word", "“{word}” is not understood.", word=echo(word))


def read_number(word: str) -> int:
    """A number of at most six ASCII digits. Raises InvalidMove (`not-a-number`)."""
    if not _NUMBER.fullmatch(word):
        raise InvalidMove("not-a-number", "“{word}” is no number. Write it in digits.", word=echo(word))
    return int(word)


def refuse_rest(rest: Sequence[str]) -> None:
    """Nothing may follow a complete move. Raises InvalidMove (`unexpected`)."""
    if rest:
        raise InvalidMove(
            "unexpected",
            "“{word}” is too much here. Write one move on a line and nothing else.",
            word=echo(rest[0]),
        )


def join_continued(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Numbered lines with those put together that a mail client or a writer has broken.

    A line that begins with `+`, `else` or `pay`, or follows one that ends in `+` or `else`, continues the line
    before; the number is that of its beginning.
    """
    number, parts = 0, list[str]()
    last = ""
    for place, line in lines:
        words = lower(line).split()
        if parts and words and (words[0][0] == "+" or words[0] in ("else", "pay") or last in ("+", "else")):
            parts.append(line.strip())
        else:
            if parts:
                yield number, " ".join(parts)
            number, parts = place, [line.rstrip()]
        last = words[-1] if words else ""
    if parts:
        yield number, " ".join(parts)


def echo(word: str) -> str:
    """What a person typed, short enough to be quoted in a refusal."""
    return word if len(word) <= _LONGEST_ECHO else word[: _LONGEST_ECHO - 1] + "…"
