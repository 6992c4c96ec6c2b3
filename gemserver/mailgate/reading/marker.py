"""The line that we print above a notification: reply above it.

It begins with `-- `, so that clients that take this for a signature hide everything below it. Its words in every
language that we write mails in must be in `quote_words.MARKER`.
"""

from __future__ import annotations

from gemserver.lib.patterns import Pattern
from gemserver.mailgate.reading.quote_words import MARKER
from gemserver.mailgate.reading.text_lines import folded, unquoted
from gemserver.mailgate.reading.word_table import any_of

_MARKER = Pattern(rf"\W{{0,12}}(?:[^\W\d_]{{1,12}} ){{0,6}}{any_of(MARKER)}")
_DRAWN = ("-", "#", "=", "_", "*", "—", "–", "~", "<", "[")


def is_marker(lines: list[str], at: int) -> bool:
    """True if the marker stands in this line, or begins here and continues in the next one (clients wrap it)."""
    first = folded(unquoted(lines[at][:300]))
    if not first.startswith(_DRAWN) or len(first) > 160:
        return False
    if _MARKER.match(first):
        return True
    following = folded(unquoted(lines[at + 1][:160])) if at + 1 < len(lines) else ""
    return bool(following) and _MARKER.match(f"{first} {following}") is not None
