"""Plain text for mails."""

from __future__ import annotations

import re
import textwrap

COLUMNS = 72

_EMPTY_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def tidy(text: str) -> str:
    """The text with at most one empty line in a row and its paragraphs wrapped to `COLUMNS`.

    Lines that are indented (drawings, lists) or hold an address stay as they are.
    """
    lines = _EMPTY_LINES.sub("\n\n", text.strip()).splitlines()
    return "\n".join(_wrap(line.rstrip()) for line in lines) + "\n"


def _wrap(line: str) -> str:
    if len(line) <= COLUMNS or line.startswith(" ") or "://" in line:
        return line
    return "\n".join(textwrap.wrap(line, COLUMNS, break_long_words=False, break_on_hyphens=False))
