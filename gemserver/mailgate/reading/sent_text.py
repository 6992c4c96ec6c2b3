"""Finds our own notification in a reply: the line above it, and its words where they are quoted without any mark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gemserver.lib.text.fingerprint import Fingerprint, words_of
from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.reading.quote_words import MARKER
from gemserver.mailgate.reading.text_lines import folded, unquoted
from gemserver.mailgate.reading.word_table import any_of

MIN_RUN = 3
"""Consecutive lines that must match the notification before they count as quoted."""

MAX_WORDS = 6000
"""Words of a reply that are looked at; nothing further down is a command."""

_ASKS = rf"(?:[^\W\d_]{{1,12}} ){{0,6}}{any_of(MARKER)}"
_MARKER = Pattern(rf"\W{{0,12}}{_ASKS}")
_MARKER_BEHIND_NEWS = Pattern(rf"^\W{{0,4}}-- \S.{{0,120}}?[.?!] {_ASKS}")
MOST_MARKER_LINES = 3
"""A marker with the news before it may be wrapped twice."""
_DRAWN = ("-", "#", "=", "_", "*", "—", "–", "~", "<", "[")
_BRACKETED_LINK = Pattern(r"<(?:https?://|mailto:)[^<>]{0,2000}>", re.IGNORECASE)
_WORDS = Pattern(r"[^\n]+")


def is_marker(lines: list[str], at: int) -> bool:
    """True if `Reply above this line` stands here, or begins here and continues in the next lines (clients wrap it).

    The news may stand before it: `-- Your turn: bid. Reply above this line to play --`. It begins with `-- `, so that
    clients that take this for a signature hide everything below it. Its words in every language that we write mails in
    must be in `quote_words.MARKER`.
    """
    first = folded(unquoted(lines[at][:300]))
    if not first.startswith(_DRAWN) or len(first) > 160:
        return False
    whole = first
    for line in lines[at + 1 : at + MOST_MARKER_LINES]:
        following = folded(unquoted(line[:160]))
        if not following or following.startswith(_DRAWN[:1]):
            break
        whole += f" {following}"
    return any(pattern.match(whole) for pattern in (_MARKER, _MARKER_BEHIND_NEWS))


def find_sent_runs(lines: Sequence[str], sent: Iterable[Fingerprint]) -> list[range]:
    """The numbers of lines that repeat at least three successive lines of one of the notifications `sent`.

    Wrapping may differ: words are compared, not lines. A line or two of equal text stay, because a player may type
    exactly the example that the notification shows.
    """
    prints = list(sent)
    if not prints:
        return []
    words, numbers = _number_words(lines)
    runs = (_whole_lines(numbers, start, end) for each in prints for start, end in each.stretches(words))
    return [run for run in runs if run]


def _number_words(lines: Sequence[str]) -> tuple[list[str], list[int]]:
    """All words, and for each the number of its line; the targets that clients add to links are no words."""
    text = _BRACKETED_LINK.sub(lambda link: _WORDS.sub("", link.group()), "\n".join(lines))
    words: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n")):
        found = words_of(line)
        words += found
        numbers += [number] * len(found)
        if len(words) >= MAX_WORDS:
            break
    return words, numbers


def _whole_lines(numbers: Sequence[int], start: int, end: int) -> range:
    """The lines whose words all stand in `start:end`, from the first to the last; none if they are too few."""
    while start < end and start and numbers[start - 1] == numbers[start]:
        start += 1
    while start < end and end < len(numbers) and numbers[end] == numbers[end - 1]:
        end -= 1
    if len(set(numbers[start:end])) < MIN_RUN:
        return range(0)
    return range(numbers[start], numbers[end - 1] + 1)
