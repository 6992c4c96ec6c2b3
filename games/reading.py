"""Reads typed text: typography of phones, words and their prefixes, numbers."""

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
        "‒": "-",
        "―": "--",
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
"""Characters of one typed move; the longest legal move, with every word in full, has some 600."""


def fold(text: str) -> str:
    """Return the text with plain quotes, dashes and blanks; runs of blanks become one, case is kept.

    >>> fold("  Bid\u00a0 3 – “please”")
    'Bid 3 - "please"'
    """
    return " ".join(text.translate(_FOLDS).split())


def lower(text: str) -> str:
    """Return the text with only `A` to `Z` lower-cased: `str.lower` turns the kelvin sign into a `k`."""
    return text.translate(_LOWER)


def upper(text: str) -> str:
    """Return the text with only `a` to `z` upper-cased: `str.upper` turns `ß` into `SS`."""
    return text.translate(_UPPER)


def refuse_long(text: str) -> None:
    """Raise InvalidMove (`too-long`) for a text that would take long to read. Call it before reading a move."""
    if len(text) > LONGEST_MOVE:
        raise InvalidMove(
            "too-long",
            "This line has more than {most} characters and is too long for a move. Write one move on a line.",
            most=LONGEST_MOVE,
        )


def split_line(text: str) -> list[str]:
    """Split one line into lower-case words, without extra blanks and one final full stop.

    A code that may end in a full stop of its own (`RB..`) loses it when it stands last: its reader puts it
    back. Raises InvalidMove (`empty`, `too-long`).

    >>> split_line("  Bid  3.")
    ['bid', '3']
    """
    refuse_long(text)
    words = lower(fold(text)).removesuffix(".").split()
    if not words:
        raise InvalidMove("empty", "There is no move yet. Choose one, or write it as the examples show.")
    return words


def read_word(
    word: str, possible: Iterable[str], known: Iterable[str] = (), *, offered: Iterable[str] = ()
) -> str:
    """Return the word that was meant: written in full, or a prefix that only one of the `possible` words has.

    `possible` are the words of the present prompt; words that are merely `known` (moves of another phase, as
    a plan may hold) must be written in full. Raises InvalidMove (`unknown-word`), which names the `offered` words or
    else the possible ones, or AmbiguousMove (`ambiguous-word`).

    >>> read_word("p", ["bid", "pass"])
    'pass'
    >>> read_word("t", ["take", "trade"])
    Traceback (most recent call last):
    games.contract.AmbiguousMove: ambiguous (ambiguous-word): “t” could mean take, trade. Write the word in full.
    >>> read_word("take", ["bid", "pass"], known=["take"])
    'take'
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
            candidates=", ".join(tuple(offered) or candidates),
        )
    raise InvalidMove("unknown-word", "“{word}” is not understood.", word=echo(word))


def read_number(word: str) -> int:
    """Read a number of at most six ASCII digits. Raises InvalidMove (`not-a-number`)."""
    if not _NUMBER.fullmatch(word):
        raise InvalidMove("not-a-number", "“{word}” is no number. Write it in digits.", word=echo(word))
    return int(word)


def refuse_rest(rest: Sequence[str]) -> None:
    """Raise InvalidMove (`unexpected`) if any words are left after a complete move."""
    if rest:
        raise InvalidMove(
            "unexpected",
            "“{word}” is too much here. Write one move on a line and nothing else.",
            word=echo(rest[0]),
        )


def join_continued(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Join numbered lines that a mail client or a writer has broken.

    A line that begins with `+`, `else` or `pay`, or follows one that ends in `+` or `else`, continues the line
    before; a joined line has the number of its first part.

    >>> list(join_continued([(1, "take SR"), (2, "pay 1 2"), (4, "pass")]))
    [(1, 'take SR pay 1 2'), (4, 'pass')]
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
    """Shorten what a person typed, so that a refusal can quote it."""
    return word if len(word) <= _LONGEST_ECHO else word[: _LONGEST_ECHO - 1] + "…"
