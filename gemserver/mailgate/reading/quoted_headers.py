"""The head of an unquoted original: `From: / Sent: / To: / Subject:` in any language, and the title above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.reading.quote_words import (
    DATE_LABEL,
    FORWARD_BEGINS,
    FROM_LABEL,
    ORIGINAL,
    OTHER_LABEL,
    SUBJECT_LABEL,
    TO_LABEL,
)
from gemserver.mailgate.reading.text_lines import bare, folded, unquoted
from gemserver.mailgate.reading.word_table import any_of, phrases

MAX_FIELDS = 12
_MAX_LINE = 500

_TABLES = {
    "other": OTHER_LABEL,
    "to": TO_LABEL,
    "date": DATE_LABEL,
    "subject": SUBJECT_LABEL,
    "from": FROM_LABEL,
}
_CATEGORY = {word: category for category, table in _TABLES.items() for word in phrases(table)}
_LABEL = Pattern(r"[*_]{0,3}(?P<label>[^\s:：<>@\d\"“”(){}|=/\\*+#.,;!?-][^\s:：<>@\d\"“”(){}|=\\*+#,;!?]{0,20}"
                    r"(?: [^\s:：<>@\d\"“”(){}|=\\*+#,;!?]{1,20}){0,3}) ?[*_]{0,3} ?[:：](?P<rest>.*)$")  # fmt: skip
_ANY_LABEL = Pattern(r"(?:^|[\s*>)])([^\s:：\d<>@*]{1,14}) ?\*{0,2}[:：](?=[\s*]|$)")
_ADDRESS = Pattern(r"[^\s<>@:]{1,64}@[^\s<>@]{1,190}")
_ANGLED = Pattern(r"<(?:mailto:)?[^\s<>@]{1,64}@[^\s<>@]{1,190}>?$")
_MOMENT = Pattern(
    r"(?<!\d)\d{1,2}[:.h]\d{2}(?!\d)|(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}[-./] ?\d{1,2}[-./] ?\d{2,4}|\d ?[年년]"
)
_TITLE = Pattern(
    r"\W{0,3}?(?P<left>[-_=—–~]{2,}) ?(?P<title>[^\W\d_][^\d]{2,60}?) ?(?P<right>[-_=—–~]{2,}|$)(?P<rest>.*)$"
)
_ORIGINAL = Pattern(any_of(ORIGINAL))
_BEGINS = Pattern(any_of(FORWARD_BEGINS) + r"[^\w]{0,4}$")


@dataclass(slots=True)
class _Fields:
    """Evidence found so far in a block of fields."""

    count: int = 0
    known: set[str] = field(default_factory=set)
    has_address: bool = False
    has_moment: bool = False

    def add(self, line: str) -> None:
        self.has_address = self.has_address or _ADDRESS.search(line) is not None
        self.has_moment = self.has_moment or _MOMENT.search(line) is not None

    def is_head(self, titled: bool) -> bool:
        """Three fields with an address and a moment in any language, or fewer with known words."""
        named = self.known - {"other"}
        if titled:
            return self.count >= 2 and (bool(named & {"from", "date"}) or self.has_address)
        if self.count >= 3 and self.has_address and self.has_moment:
            return True
        if len(named) >= 3:
            return True
        return len(named) >= 2 and self.has_address and (self.has_moment or "from" in named)


def header_block_length(lines: Sequence[str], at: int, *, titled: bool = False) -> int:
    """Number of lines from `at` on that are the header fields of an original mail; 0 if no such block begins there.

    `titled`: a title line stands above, so that less evidence is enough.
    """
    first = bare(lines[at][:_MAX_LINE])
    label = _label(first)
    if label is None:
        return 0
    if _CATEGORY.get(label) == "from" and _ANGLED.search(first):
        return max(1, _scan(lines, at, titled))
    return _scan(lines, at, titled) or _is_head_in_one_line(first)


def is_head(lines: Sequence[str]) -> bool:
    """True if these lines, which a client marked as being about an original, begin with a title or header fields.

    One line, or two of a wrapped one, are an attribution instead.
    """
    if not lines:
        return False
    return is_title(lines[0], lines[1:8]) or header_block_length(lines, 0, titled=True) > 1 or len(lines) > 3


def is_title(line: str, following: Sequence[str]) -> bool:
    """True if this is `-----Original Message-----` or its like, in any language.

    A title without a known word counts only if a header block begins within the next three lines.
    """
    text = folded(line[:_MAX_LINE]).strip("*> ")
    if _BEGINS.match(text):
        return True
    found = _TITLE.match(text)
    if found is None:
        return False
    drawn = len(found["left"]) + len(found["right"])
    if _ORIGINAL.search(found["title"]) and drawn >= 4 and (len(text) <= 90 or drawn >= 10):
        return True
    if found["rest"] or drawn < 5:
        return False
    heads = [position for position, text in enumerate(following[:3]) if text.strip()]
    return bool(heads) and header_block_length(following, heads[0], titled=True) > 0


def is_introduction(line: str, following: Sequence[str]) -> bool:
    """True if this is the line above the head of a forwarded mail, in a language not listed.

    It is short, ends with a colon, and header fields come next.
    """
    text = bare(line[:_MAX_LINE])
    if not text.endswith((":", "：")) or len(text) > 60 or any(map(str.isdigit, text)):
        return False
    heads = [unquoted(each) for each in following[:3]]
    at = next((position for position, each in enumerate(heads) if bare(each)), None)
    return at is not None and header_block_length([unquoted(each) for each in following], at) > 1


def _scan(lines: Sequence[str], at: int, titled: bool) -> int:
    seen = _Fields()
    wrapped, end, position = 0, at, at
    while position < len(lines) and seen.count < MAX_FIELDS:
        line = bare(lines[position][:_MAX_LINE])
        label = _label(line)
        if label is not None and (position == end or label in _CATEGORY):
            seen.count, wrapped = seen.count + 1, 0
            seen.known.add(_CATEGORY.get(label, "other"))
        elif not line and position == end and seen.count:
            position += 1
            continue
        elif line and position == end and wrapped < 2 and _label_follows(lines, position + 1):
            wrapped += 1
        else:
            break
        seen.add(line)
        position += 1
        end = position
    return end - at if seen.is_head(titled) else 0


def _is_head_in_one_line(line: str) -> int:
    """1 if a converter ran all fields together: `From: … Sent: … To: … Subject: …`; else 0."""
    known = {_CATEGORY.get(folded(word), "") for word in _ANY_LABEL.findall(line)} - {"", "other"}
    return int(len(known) >= 3 and bool(_ADDRESS.search(line) or _MOMENT.search(line)))


def _label(line: str) -> str | None:
    """The word before the colon in lower case, if the line can be a header field."""
    found = _LABEL.match(line)
    if found is None or len(found["label"]) > 28 or found["rest"].startswith("//"):
        return None
    label, rest = folded(found["label"]), found["rest"]
    if not rest or rest[0] in " *_" or label in _CATEGORY or "：" in line[: found.start("rest")]:
        return label
    return None


def _label_follows(lines: Sequence[str], at: int) -> bool:
    return any(_label(bare(line[:_MAX_LINE])) is not None for line in lines[at : at + 2])
