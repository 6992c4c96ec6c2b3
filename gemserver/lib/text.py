"""Plain text for mails."""

from __future__ import annotations

import re
import textwrap

COLUMNS = 72

_ITEM = "  * "
_EMPTY_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def tidy(text: str) -> str:
    """The text with at most one empty line in a row, its paragraphs and `  * ` items wrapped to `COLUMNS`.

    Other lines that are indented (drawings), or hold an address, stay as they are.
    """
    lines = _EMPTY_LINES.sub("\n\n", text.strip()).splitlines()
    return "\n".join(_wrap(line.rstrip()) for line in lines) + "\n"


def _wrap(line: str) -> str:
    is_item = line.startswith(_ITEM)
    if len(line) <= COLUMNS or "://" in line or (line.startswith(" ") and not is_item):
        return line
    indent = " " * len(_ITEM) if is_item else ""
    lines = textwrap.wrap(
        line, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)
