"""The codes of matches in lines and subjects of mails."""

from __future__ import annotations

import re

from gemserver.lib.text.patterns import Pattern

_MATCH = Pattern(
    r"(?:\[[^\]]{0,40}\b(?P<tag>m\d{1,9})\b[^\]]{0,20}\] ?:? ?|"
    r"(?P<code>m\d{1,9})(?: ?[:,] ?| )|(?:[^\W\d_]{2,15} ){1,2}(?P<named>m\d{1,9}) ?: ?)(?=\S)",
    re.IGNORECASE,
)
"""Matches the match before a line: `M17: `, `M17 `, `GEM M17: ` or, as our subjects have it, `[GEM M17] `."""
OWN_TAG = Pattern(
    r"(?:\[[^\]]{0,40}\b(?=M\d{1,9}\b[^\]]{0,20}\])|[\]:：](?! ?join ) ?[^\[\]:]{1,40} (?=M\d{1,9}\s*$))(M\d{1,9})\b",
    re.IGNORECASE,
)
"""The match in the subject of every mail about it: `[Your turn: bid] GEM M17`; of old mails `[GEM M17] Ana, Ben`."""


def split_match(line: str) -> tuple[str | None, str]:
    """The code of the match that the line names first, in upper case, and the rest of the line."""
    named = _MATCH.match(line)
    if named is None:
        return None, line
    return (named["tag"] or named["code"] or named["named"]).upper(), line[named.end() :]
