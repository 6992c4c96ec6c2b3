"""Tables of words by language: rows of `language: phrase, phrase`; a trailing `*` stands for any ending."""

from __future__ import annotations

import re

from gemserver.mailgate.reading.text_lines import folded


def phrases(table: str) -> tuple[str, ...]:
    """All phrases of a table, lower case, longest first."""
    rows = (row.partition(": ")[2] for row in table.strip().splitlines())
    listed = {folded(phrase) for row in rows for phrase in row.split(",") if phrase.strip()}
    return tuple(sorted(listed, key=lambda phrase: (-len(phrase), phrase)))


def any_of(table: str) -> str:
    """A regular expression group for any phrase of a table."""
    written = (re.escape(phrase).replace(r"\*", r"\w*").replace(r"\ ", " ") for phrase in phrases(table))
    return "(?:" + "|".join(written) + ")"
