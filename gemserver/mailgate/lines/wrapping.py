"""Tells where a line of a mail goes on: the rest of a move, of a text, or of a sentence that a program wrapped."""

from __future__ import annotations

import re

from games.phrases.lines import is_courtesy
from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.lines.command_words import COMMAND_WORDS
from gemserver.mailgate.reading.sentences import ends_sentence

WRAPPED_AT = 68
"""Mail programs break lines at 72 columns or more; a few less, because blanks are folded."""
WIDEST_WRAPPED = 80
"""No mail program that breaks lines leaves a longer one, except for a single word."""

_CONTINUES = Pattern(r"\+|(?:else|pay)\b|#\d{1,6}\.?$", re.IGNORECASE)
_PHONE = Pattern(r"\+\d(?:[ ()/.-]{0,3}\d){6,14}(?!\d)")
UNFINISHED = Pattern(r"(?:\+|(?:^| )else)$", re.IGNORECASE)


def continues(line: str, *, is_directly_below: bool) -> bool:
    """True if a line begins as the rest of a move does, and is no phone number of a signature, and no sentence.

    A sentence begins with a capital letter, or below an empty line.
    """
    if not _CONTINUES.match(line) or _PHONE.match(line):
        return False
    return not line[0].isalpha() or (is_directly_below and line[0].islower()) or _is_notation(line)


def _is_notation(line: str) -> bool:
    """True if a line that begins with `else` or `pay` goes on as moves do, unlike `Pay attention to the deadline`."""
    word, *rest = line.rstrip(" .").lower().split()
    behind = rest[1:] if word == "else" else rest
    return bool(rest) and all(len(each) <= 3 or not each.isalpha() or each == "play" for each in behind)


def is_wrapped(parts: list[str], line: str) -> bool:
    """True if a mail program broke a move of several steps before this line: its first word had no room above."""
    word = line.partition(" ")[0]
    steps = any(" + " in part for part in parts)
    return steps and has_no_room(parts[-1], line) and word.lower() not in COMMAND_WORDS


def has_no_room(above: str, line: str) -> bool:
    """True if the first word of the line would have passed the end of the line above."""
    return len(above) + 1 + len(line.partition(" ")[0]) > WRAPPED_AT


def is_rest_of_text(above: str, line: str) -> bool:
    """True if a line surely is the rest of the talk `above`, which a mail program broke because it was full.

    What has capital letters alone may be the name of the writer, unless it ends the sentence.
    """
    if not line or len(above) > WIDEST_WRAPPED or not has_no_room(above, line) or ends_sentence(above):
        return False
    first, *others = line.split()
    if not first[0].isupper():
        return True
    goes_on = any(word[0].islower() for word in others) or (not others and first[-1] in ".!?…")
    return goes_on and not is_courtesy(line)


def join_plan(lines: list[str]) -> list[str]:
    """The lines of a plan, each with its continuation lines joined to it."""
    joined: list[str] = []
    for line in filter(None, lines):
        if joined and (_CONTINUES.match(line) or UNFINISHED.search(joined[-1])):
            joined[-1] += " " + line
        else:
            joined.append(line)
    return joined
