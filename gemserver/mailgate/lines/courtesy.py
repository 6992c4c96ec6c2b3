"""Tells greetings, thanks and names below them from lines that were meant to do something."""

from __future__ import annotations

from collections.abc import Sequence

from gemserver.inbox.results import LineResult
from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.reading.ending_words import CLOSING, COURTESY
from gemserver.mailgate.reading.text_lines import folded
from gemserver.mailgate.reading.word_table import any_of

MOST_WORDS = 7

_COURTEOUS = Pattern(rf"(?:{any_of(COURTESY)}|{any_of(CLOSING)})(?!\w)")
_NAME = Pattern(r"[-–— ]{0,3}[^\W\d_][\w.'’-]{0,20}(?: [^\W\d_][\w.'’-]{0,20}){0,2}[.!]?")
_ASKS = frozenset("?¿？0123456789")


def split_courtesies(results: Sequence[LineResult]) -> tuple[list[LineResult], list[LineResult]]:
    """Split the lines that were not read: greetings, thanks and the names below them, and all others.

    >>> lines = [LineResult(line, "unread") for line in ("Hi Ana,", "bit 3", "Thanks a lot!", "Ben")]
    >>> [[result.line for result in part] for part in split_courtesies(lines)]
    [['Hi Ana,', 'Thanks a lot!', 'Ben'], ['bit 3']]
    """
    courteous: list[LineResult] = []
    others: list[LineResult] = []
    is_below_one = False
    for result in results:
        is_one = result.outcome == "unread" and (
            _is_courteous(result.line)
            or (is_below_one and result.code != "cut-off" and _is_name(result.line))
        )
        if result.outcome == "unread":
            (courteous if is_one else others).append(result)
        is_below_one = is_one
    return courteous, others


def _is_courteous(line: str) -> bool:
    text = folded(line[:100])
    return len(text.split()) <= MOST_WORDS and _ASKS.isdisjoint(text) and bool(_COURTEOUS.match(text))


def _is_name(line: str) -> bool:
    return line.lstrip("-–— ")[:1].isupper() and bool(_NAME.fullmatch(line))
