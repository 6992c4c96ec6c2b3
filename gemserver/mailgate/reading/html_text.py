"""Turns the HTML of a mail into plain text with quote marks before quoted lines (mail-requirements.md M9, Q1).

The tokenizer is our own: every step moves forward by `str.find`, so that the time is linear for any input, which the
standard library's parser does not promise. Of styles it knows hidden and struck text only, and it loads nothing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from gemserver.lib.text.patterns import CALL, Pattern, spend
from gemserver.mailgate.reading.quoted_headers import is_head
from gemserver.mailgate.reading.text_lines import MAX_LINES, unquoted

MAX_HTML = 400_000
"""Characters of tags and text that are read, not counting comments and styles; every client that writes more puts the
typed part at the top."""

MAX_TOKENS = 40_000
MAX_QUOTE_DEPTH = 20
MAX_TAG = 4000
MAX_SEARCH = 40
"""Open elements that an end tag is compared with, lest hostile nesting make every end tag a long search."""

_BLOCKS = frozenset(
    (
        "p", "div", "br", "tr", "li", "ul", "ol", "table", "blockquote", "hr", "h1", "h2", "h3", "h4",
        "h5", "h6", "pre", "section", "article", "header", "footer", "main", "aside", "center",
        "address", "dl", "dt", "dd", "form", "fieldset", "figure", "figcaption", "body",
    )
)  # fmt: skip
_RAISED_TAGS = frozenset(("sup", "sub"))
_STRUCK_TAGS = frozenset(("s", "strike", "del"))
_SKIPPED = frozenset(("script", "style", "head", "title", "template", "svg", "select", "textarea", "object"))
_VOID = frozenset(
    ("br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "wbr")
)
_NAME = Pattern(r"[a-zA-Z][a-zA-Z0-9:-]{0,30}")
_ATTRIBUTE = Pattern(
    r"""(?<![\w-])(class|id|style|name|data-marker|aria-hidden)\s{0,5}=\s{0,5}("[^"]*"|'[^']*'|[^\s>"']+)""",
    re.IGNORECASE,
)
_HIDDEN = Pattern(
    r"(?<![a-z-])(?:display:none|visibility:(?:hidden|collapse)|mso-hide:all"
    r"|(?:font-size|opacity|max-height|max-width):0(?:\.0{1,3})?(?:px|pt|r?em|%)?(?:;|$|!)"
    r"|(?:text-indent|left|top):-\d{3,6}(?:px|pt|;|$|!)|clip:rect\()"
)
"""Matches a style without blanks of what is not shown. A height of 0 shows its text all the same."""
_HIDDEN_WORD = Pattern(r"\shidden(?=[\s=/]|$)", re.IGNORECASE)
_QUOTED_VALUE = Pattern(r'"[^"]*"|\'[^\']*\'')
_STRUCK = Pattern(r"text-decoration(?:-line)?\s{0,5}:[a-z0-9#%.,() -]{0,60}line-through")
_VERBATIM = Pattern(r"white-space\s{0,5}:\s{0,5}pre(?:-wrap)?\s{0,5}(?:;|$)")
_INDENT = Pattern(r"margin:(?:0(?:px)?){3}40px;.{0,20}border:none")
_LONG_NUMBER = Pattern(r"&#[xX]?[0-9a-fA-F]{8,}")
_BLANKS = Pattern(r"[ \t\n\r\f]+")

_QUOTED = Pattern(
    r"(?<![a-z])(?:gmail_attr|moz-cite-prefix|moz-forward-container|moz-email-headers-table|protonmail_quote|tutanota_quote"
    r"|yahoo_quoted|zmail_extra|front-blockquote|missive_quote|freshdesk_quote|intercom-quote|appleoriginalcontents"
    r"|ms-outlook-mobile-reference-message|mail-editor-reference-message-container|outlookmessageheader"
    r"|olk_src_body_section|isreplycontent|isforwardcontent|divrplyfwdmsg|messagereplysection|__headers__"
    r"|__quoted_text__|hey-quote)(?![a-z])",
)
"""Class, id or name of an element that holds the original or its attribution line, by client."""

_HEAD = Pattern(r"(?<![a-z])(?:gmail_attr|moz-cite-prefix)(?![a-z])")
"""Class of an element above the original: an attribution line, or the head of a forwarded mail."""

_NOTHING_TYPED_BELOW = Pattern(
    r"(?<![a-z])(?:divrplyfwdmsg|outlookmessageheader|moz-email-headers-table|moz-forward-container|isforwardcontent)(?![a-z])"
)
"""Class, id or name of an element at the start of an original that has no end mark and goes on to the end of the
mail."""

_QUOTED_FROM_HERE = Pattern(r"(?<![a-z])(?:appendonsend|stopspelling|zwchr|[a-z]{2,4}-reply-above)(?![a-z])")
_OUTLOOK_RULE = Pattern(r"border:none;border-top:solid#(?:e1e1e1|b5c4df)1\.0pt")
_SIGNATURE = Pattern(
    r"(?<![a-z])(?:gmail_signature|moz-signature|protonmail_signature_block|tutanota_signature|messagesignaturesection"
    r"|ms-outlook-mobile-signature|yahoo-signature)(?![a-z])|^signature$"
)


STRUCK_FROM, STRUCK_TO, RAISED = "\ue000", "\ue001", "\ue002"
"""Marks around struck text in `html_to_marked_text`, and between a number and one above or below its line; no other
text of ours has them."""

_STRUCK_TEXT = Pattern(f"{STRUCK_FROM}[^{STRUCK_FROM}{STRUCK_TO}]*{STRUCK_TO}")
_MARKS = {ord(mark): None for mark in (STRUCK_FROM, STRUCK_TO, RAISED)}


def html_to_text(source: str, most: int = MAX_HTML) -> str:
    """The text of an HTML body, with `>` before quoted lines, without hidden and struck parts and signatures.

    `most`: characters of shown text that are read; the rest is cut off.
    """
    return as_shown(html_to_marked_text(source, most))


def as_shown(text: str) -> str:
    """Marked text as it is meant: a line of nothing but struck text disappears, and 3 with a raised 2 is no 32."""
    text = text.replace(RAISED, "^")
    if STRUCK_FROM not in text:
        return text
    lines = [(line, _STRUCK_TEXT.sub("", line)) for line in text.split("\n")]
    return "\n".join(left for line, left in lines if left.strip("> ") or line == left)


def as_in_plain_text(text: str) -> str:
    """Marked text as a plain part has it, which knows no struck nor raised text: without the marks."""
    return text.translate(_MARKS)


def html_to_marked_text(source: str, most: int = MAX_HTML) -> str:
    """Like `html_to_text`, but with struck text between `STRUCK_FROM` and `STRUCK_TO`, and `RAISED`."""
    reader = _Reader()
    seen = 0
    for kind, value in islice(_tokens(source), MAX_TOKENS):
        spend(2 * CALL + len(value))
        seen += len(value)
        if len(reader.writer.lines) > MAX_LINES or seen > MAX_HTML or reader.writer.size > most:
            break
        if kind == "text":
            reader.take_text(value)
        elif kind == "start":
            reader.take_start(value)
        else:
            reader.take_end(value)
    reader.writer.end_line()
    return "\n".join(reader.writer.lines).strip("\n")


@dataclass(slots=True)
class _Open:
    """An open element, and its effect on the text in it."""

    tag: str
    quotes: bool = False
    skips: bool = False
    verbatim: bool = False
    strikes: bool = False
    head_from: int | None = None
    """For the head of an original: its first line."""


@dataclass(slots=True)
class _Writer:
    """Collects lines; every line has the quote depth at which its first text stood."""

    lines: list[str] = field(default_factory=list)
    current: list[str] = field(default_factory=list)
    depth: int = 0
    line_depth: int = 0
    has_typed: bool = False
    size: int = 0
    """Characters written."""

    def write(self, text: str) -> None:
        if not self.current:
            if not text.strip():
                return
            self.line_depth = min(self.depth, MAX_QUOTE_DEPTH)
        self.current.append(text)
        self.size += len(text)

    def end_line(self) -> None:
        text = "".join(self.current).strip(" \t\r\n")
        self.current.clear()
        if text:
            self.has_typed = self.has_typed or not self.line_depth
            self.lines.append(f"{'>' * self.line_depth} {text}" if self.line_depth else text)

    def leave_blank(self) -> None:
        """Put one empty line behind the text so far."""
        self.end_line()
        if self.lines and self.lines[-1]:
            self.lines.append("")


class _Reader:
    """Follows the tags; missing and superfluous end tags are harmless."""

    def __init__(self) -> None:
        self.writer = _Writer()
        self.open: list[_Open] = []
        self.skipping = 0
        self.verbatim = 0
        self.striking = 0
        self.raises = False
        """True at the beginning of an element whose text stands above or below the line."""
        self.rest_is_quoted = False
        self.awaits_quote = False
        """True between the end of an attribution line and the beginning of the original."""

    def take_text(self, raw: str) -> None:
        if self.skipping:
            return
        text = _unescape(raw).translate(_MARKS)
        if self.awaits_quote and text.strip():
            self._take_announced()
        if not self.verbatim:
            self._write(_BLANKS.sub(" ", text))
            return
        first, *rest = text.replace("\r\n", "\n").split("\n")
        self._write(first)
        for line in rest:
            self.writer.end_line()
            self._write(line)

    def _write(self, text: str) -> None:
        if self.raises and text:
            self.raises = False
            above = self.writer.current[-1].rstrip(STRUCK_TO) if self.writer.current else ""
            if text[0].isdecimal() and above[-1:].isdecimal():
                text = f"{RAISED}{text}"
        is_struck = self.striking and text.strip()
        self.writer.write(f"{STRUCK_FROM}{text}{STRUCK_TO}" if is_struck else text)

    def _take_announced(self) -> None:
        """Quote the text after an attribution, marked or not, if something was typed above it."""
        self.awaits_quote = False
        if not self.writer.depth and self.writer.has_typed:
            self._quote_the_rest()

    def _quote_the_rest(self) -> None:
        if not self.rest_is_quoted:
            self.writer.end_line()
            self.rest_is_quoted = True
            self.writer.depth += 1

    def take_start(self, tag: str) -> None:
        found = _NAME.match(tag)
        if found is None:
            return
        name, marks = found.group().lower(), _attributes(tag)
        self._break_line(name)
        self.raises = self.raises or (name in _RAISED_TAGS and not self.skipping)
        if marks and self._quotes_the_rest(name, marks):
            self._quote_the_rest()
        if name in _VOID or tag.endswith("/"):
            return
        opened = _Open(
            name,
            quotes=_is_quote(name, marks),
            skips=name in _SKIPPED or _is_left_out(tag, marks),
            verbatim=name == "pre" or _has(marks, ("style",), _VERBATIM),
            strikes=name in _STRUCK_TAGS or _has(marks, ("style",), _STRUCK),
        )
        if not self.writer.depth and not self.skipping and _has(marks, ("class",), _HEAD):
            self.writer.end_line()
            opened.head_from = len(self.writer.lines)
        if opened.quotes:
            self.writer.end_line()
        self._count(opened, 1)
        self.open.append(opened)

    def take_end(self, name: str) -> None:
        if name in _BLOCKS:
            self._break_line(name)
        at = self._matching(name)
        if at is None:
            return
        closed = self.open[at:] if name in _BLOCKS else [self.open[at]]
        if any(each.quotes for each in closed):
            self.writer.end_line()
        for each in closed:
            self._count(each, -1)
            if each.head_from is not None:
                self._end_head(each.head_from)
        self.open[at : at + len(closed)] = []

    def _end_head(self, start: int) -> None:
        """End a head: after that of a forwarded mail everything is quoted, after an attribution the original."""
        head = [unquoted(line) for line in self.writer.lines[start:] if unquoted(line).strip()]
        if is_head(head):
            self._quote_the_rest()
        else:
            self.awaits_quote = True

    def _matching(self, name: str) -> int | None:
        """The open element that this end tag closes.

        A quote or hidden part is closed by its own end tag only, or with the quote around it.
        """
        for at in range(len(self.open) - 1, max(-1, len(self.open) - 1 - MAX_SEARCH), -1):
            spend(3)
            opened = self.open[at]
            if opened.tag == name:
                return at
            if (opened.quotes or opened.skips) and (name != "blockquote" or opened.tag == name):
                return None
            if name not in _BLOCKS and opened.tag in _BLOCKS:
                return None
        return None

    def _count(self, opened: _Open, step: int) -> None:
        self.writer.depth += step * opened.quotes
        self.skipping += step * opened.skips
        self.verbatim += step * opened.verbatim
        self.striking += step * opened.strikes

    def _break_line(self, name: str) -> None:
        if self.skipping or name not in _BLOCKS:
            if name in {"td", "th"}:
                self.writer.write(" ")
            return
        if name == "p" or (name == "br" and not self.writer.current):
            self.writer.leave_blank()
        else:
            self.writer.end_line()
        if name == "hr":
            self.writer.lines.append("________")

    def _quotes_the_rest(self, name: str, marks: dict[str, str]) -> bool:
        """True if all text below is quoted: Outlook and others mark where the original begins, but not where it ends.

        Marks that may also stand above a reply count only if something was typed above them.
        """
        if self.rest_is_quoted or self.skipping or self.writer.depth:
            return False
        if _has(marks, ("class", "id", "name"), _NOTHING_TYPED_BELOW):
            return True
        if name == "div" and _OUTLOOK_RULE.search(marks.get("style", "").replace(" ", "")):
            return True
        return self.writer.has_typed and _has(marks, ("id",), _QUOTED_FROM_HERE)


def _tokens(source: str) -> Iterator[tuple[str, str]]:
    """`("text", raw)`, `("start", inside of the tag)`, `("end", name)`; comments and declarations are dropped."""
    at, size = 0, len(source)
    while at < size:
        opening = source.find("<", at)
        if opening < 0:
            yield "text", source[at:]
            return
        if opening > at:
            yield "text", source[at:opening]
        following = source[opening + 1 : opening + 4]
        if following == "!--":
            at = _behind(source, "-->", opening + 4)
        elif following[:1] in {"!", "?"}:
            at = _behind(source, ">", opening)
        elif following[:1].isalpha() or (following[:1] == "/" and following[1:2].isalpha()):
            closing = _tag_end(source, opening + 1)
            tag = source[opening + 1 : min(closing, opening + MAX_TAG)]
            at = closing + 1
            if tag.startswith("/"):
                yield "end", tag[1:32].split()[0].lower()
            else:
                yield "start", tag.rstrip()
                at = _behind_raw_text(source, tag, at)
        else:
            yield "text", "<"
            at = opening + 1


def _behind(source: str, mark: str, start: int) -> int:
    """The position after the next `mark`, or the end."""
    found = source.find(mark, start)
    return len(source) if found < 0 else found + len(mark)


def _tag_end(source: str, start: int) -> int:
    """Position of the tag's `>`; one inside a quoted attribute value does not count."""
    closing = source.find(">", start)
    for _ in range(4):
        if closing < 0 or closing - start > MAX_TAG or source.count('"', start, closing) % 2 == 0:
            break
        further = source.find(">", closing + 1, start + MAX_TAG)
        if further < 0:
            break
        closing = further
    return len(source) if closing < 0 else closing


def _behind_raw_text(source: str, tag: str, at: int) -> int:
    """Skip the content of `script` and `style`, which is no markup."""
    name = tag[:6].lower().rstrip("> \n\t")
    if name not in {"script", "style"}:
        return at
    closing = source.find("</" + name, at)
    if closing < 0:
        closing = source.find("</" + name.upper(), at)
    return len(source) if closing < 0 else closing


def _attributes(tag: str) -> dict[str, str]:
    if "=" not in tag:
        return {}
    return {name.lower(): value.strip("\"' ").lower()[:1000] for name, value in _ATTRIBUTE.findall(tag)}


def _is_quote(name: str, marks: dict[str, str]) -> bool:
    if name == "blockquote":
        return _INDENT.search(marks.get("style", "").replace(" ", "")) is None
    if name == "div" and marks.get("name") == "quote":
        return True
    return _has(marks, ("class", "id", "name", "data-marker"), _QUOTED)


def _is_left_out(tag: str, marks: dict[str, str]) -> bool:
    return (
        _HIDDEN.search(_BLANKS.sub("", marks.get("style", ""))) is not None
        or marks.get("aria-hidden") == "true"
        or ("hidden" in tag.lower() and _HIDDEN_WORD.search(_QUOTED_VALUE.sub("", tag)) is not None)
        or _has(marks, ("class", "id", "name"), _SIGNATURE)
    )


def _has(marks: dict[str, str], names: tuple[str, ...], pattern: Pattern) -> bool:
    return any(name in marks and pattern.search(marks[name]) is not None for name in names)


def _unescape(raw: str) -> str:
    """Turn entities into characters; numbers too long for any character are dropped before the library sees them."""
    return html.unescape(_LONG_NUMBER.sub("", raw)) if "&" in raw else raw
