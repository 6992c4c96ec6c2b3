"""Restores the typed lines of a mail whose plain text was wrapped by the client, from its HTML, which was not.

Gmail breaks the lines of its plain part at 78 characters, others at 72, and none says so; nor does the plain part show
what was struck out or raised. If both parts hold the same words, the HTML knows better (mail-requirements.md M5, M9).
"""

from __future__ import annotations

from collections.abc import Sequence

from gemserver.lib.text.patterns import Pattern, spend
from gemserver.mailgate.reading.html_text import as_in_plain_text, as_shown

MOST_LINES = 250
"""Lines of the plain part that are compared: no command is read further down."""

LOOK_AHEAD = 40
"""Lines of the HTML searched for the next line of the plain part, and plain lines that one may have become."""

_WORD = Pattern(r"\w+")


def as_typed(plain: Sequence[str], marked: Sequence[str]) -> list[str]:
    """The plain lines, joined as in the HTML, without what is struck out there, and with raised numbers apart.

    `marked`: the lines of the HTML from `html_to_marked_text`. A line that is not found there stays.
    """
    words = [_words(as_in_plain_text(line)) for line in marked]
    pieces = [_words(line) for line in plain[:MOST_LINES]]
    lines: list[str] = []
    at = following = 0
    while at < len(pieces):
        found = _find(pieces, at, words, following) if pieces[at] else None
        if found is None:
            lines.append(plain[at])
            at += 1
            continue
        number, length = found
        lines += _line(plain[at : at + length], marked[number])
        at, following = at + length, number + 1
    return [*lines, *plain[MOST_LINES:]]


def _find(
    pieces: Sequence[list[str]], at: int, words: Sequence[list[str]], following: int
) -> tuple[int, int] | None:
    """The HTML's line that begins with this plain one, and the number of plain lines it was broken into."""
    for number in range(following, min(following + LOOK_AHEAD, len(words))):
        whole = words[number]
        spend(len(pieces[at]) + 1)
        if whole[: len(pieces[at])] != pieces[at]:
            continue
        joined: list[str] = []
        length = 0
        while len(joined) < len(whole) and length < LOOK_AHEAD and at + length < len(pieces):
            joined += pieces[at + length]
            length += 1
        spend(len(joined) + length)
        if joined == whole:
            return number, length
    return None


def _line(plain: Sequence[str], marked: str) -> list[str]:
    left = as_shown(marked)
    if left != marked:
        return [left] if left.strip() else []
    return [" ".join(filter(None, (line.strip() for line in plain)))] if len(plain) > 1 else list(plain)


def _words(line: str) -> list[str]:
    return [str(word) for word in _WORD.findall(line.casefold())]
