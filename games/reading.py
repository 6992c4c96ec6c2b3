"""Reading what people type: typography of phones, words and their prefixes, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

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
_NUMBER = re.compile(r"[0-9]{1,6}")
_LONGEST_ECHO = 24


def fold(text: str) -> str:
    """The text with plain quotes, dashes and blanks; runs of blanks are made one, case is kept."""
    return " ".join(text.translate(_FOLDS).split())


def split_line(text: str) -> list[str]:
    """The lower-case words of one line, without extra blanks and one final full stop.

    A code that may end in a full stop of its own (`RB..`) loses it when it stands last: its reader puts it
    back. Raises InvalidMove (`empty`).
    """
    words = fold(text).lower().removesuffix(".").split()
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
    pending: tuple[int, str] | None = None
    for number, line in lines:
        words = line.lower().split()
        if pending is not None and words:
            before = pending[1].lower().split()
            if (
                words[0] in ("+", "else", "pay")
                or words[0].startswith("+")
                or before[-1:] in (["+"], ["else"])
            ):
                pending = (pending[0], f"{pending[1].rstrip()} {line.strip()}")
                continue
        if pending is not None:
            yield pending
        pending = (number, line)
    if pending is not None:
        yield pending


def echo(word: str) -> str:
    """What a person typed, short enough to be quoted in a refusal."""
    return word if len(word) <= _LONGEST_ECHO else word[: _LONGEST_ECHO - 1] + "…"
