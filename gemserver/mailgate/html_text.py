"""HTML of a mail as plain text that keeps what is quoted quoted (`email.md` M9, §6.6, §9.2).

A tokenizer of our own: every step moves forward by `str.find`, so the time is linear for any input, which the
standard library's parser does not promise. No CSS beyond hidden text, nothing is loaded, the result is text only.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_HTML = 600_000
"""Characters of HTML that are read; the typed part stands at the top in every client that writes more."""

MAX_DEPTH = 40
"""Quote marks in front of one line; deeper nesting says nothing more."""

MAX_TAG = 4000

_BLOCKS = frozenset(
    "p div br tr li ul ol table blockquote hr h1 h2 h3 h4 h5 h6 pre section article header footer main aside center "
    "address dl dt dd form fieldset figure figcaption body".split()
)
_SKIPPED = frozenset("script style head title template noscript svg select textarea object".split())
_VOID = frozenset("br hr img input meta link area base col embed source track wbr".split())
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9:-]{0,30}")
_ATTRIBUTE = re.compile(
    r"""\b(class|id|style|type|name|hidden|cite|data-[a-z-]{1,30})\s{0,5}(?:=\s{0,5}("[^"]*"|'[^']*'|[^\s>"']+)|(?=[\s>/]|$))""",
    re.I,
)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|$|!)|mso-hide\s*:\s*all"
)
_LONG_NUMBER = re.compile(r"&#[xX]?[0-9a-fA-F]{8,}")
_BLANKS = re.compile(r"[ \t\n\r\f]+")

_QUOTED_CLASSES = re.compile(
    r"\b(?:gmail_attr|moz-cite-prefix|protonmail_quote|yahoo_quoted|zmail_extra|tutanota_quote|moz-forward-container|"
    r"quoted-mail-editor-content|front-blockquote|missive_quote|intercom-quote|freshdesk_quote|ms-outlook-mobile-reference-message|"
    r"mail_quote|email_quote|wiseStamp_quote|OutlookMessageHeader|freebirdsAnalyticsQuote|airmail_quote|sh-quoted-content|"
    r"gmail_extra_quote|replyforward|aol_quote|reply-quote|message-quote|moz-email-headers-table)\b",
    re.I,
)
_QUOTED_IDS = re.compile(
    r"(?:mail-editor-reference-message-container|yahoo_quoted|divRplyFwdMsg|appendonsend|replySplit|reply-intro|"
    r"isForwardContent|isReplyContent|composeWebView_previouse_content|OLK_SRC_BODY_SECTION|mailbox-conversation|spark-reply|"
    r"tk-reply-above|oriMsgHtmlSeperator|previous-content|zwchr)",
    re.I,
)
_REST_QUOTED = re.compile(
    r"(?:^|[^a-z])(?:divRplyFwdMsg|appendonsend|reply-?above|stopSpelling|oriMsgHtmlSeperator)", re.I
)
_SIGNATURE = re.compile(
    r"\b(?:gmail_signature|moz-signature|protonmail_signature_block|tutanota_signature|Apple-signature|x_signature)\b|^Signature$|ms-outlook-mobile-signature",
    re.I,
)
_OUTLOOK_RULE = re.compile(
    r"border\s*:\s*none\s*;\s*border-top\s*:\s*solid\s*#(?:E1E1E1|B5C4DF)\s*1\.0pt", re.I
)


@dataclass(slots=True)
class _Open:
    """One element that has not been closed yet, and what it does to the text in it."""

    tag: str
    quotes: bool = False
    skips: bool = False
    keeps_blanks: bool = False


@dataclass(slots=True)
class _Writer:
    """Collects lines; every line carries the quote depth at which its first text stood."""

    lines: list[str] = field(default_factory=list)
    current: list[str] = field(default_factory=list)
    depth: int = 0
    line_depth: int = 0

    def write(self, text: str) -> None:
        if text.strip() and not any(map(str.strip, self.current)):
            self.line_depth = self.depth
        self.current.append(text)

    def end_line(self) -> None:
        text = "".join(self.current).strip(" \t\n")
        self.current.clear()
        if text:
            self.lines.append(f"{'>' * self.line_depth} {text}" if self.line_depth else text)

    def leave_blank(self) -> None:
        """An empty line, one at most."""
        self.end_line()
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def has_typed(self) -> bool:
        return any(line and not line.startswith(">") for line in self.lines) or bool(
            "".join(self.current).strip()
        )


def html_to_text(source: str) -> str:
    """The text of an HTML body; quoted parts have `>` marks, hidden parts and signature blocks are left out."""
    reader = _Reader()
    for kind, value in _tokens(source[:MAX_HTML]):
        reader.take(kind, value)
    reader.writer.end_line()
    return "\n".join(reader.writer.lines).strip("\n")


class _Reader:
    """Follows the tags; unclosed and superfluous end tags are harmless."""

    def __init__(self) -> None:
        self.writer = _Writer()
        self.open: list[_Open] = []
        self.skipping = 0
        self.verbatim = 0
        self.rest_quoted = False

    def take(self, kind: str, value: str) -> None:
        if kind == "text":
            self._text(value)
        elif kind == "start":
            self._start(value)
        else:
            self._end(value)

    def _text(self, raw: str) -> None:
        if self.skipping:
            return
        text = _unescape(raw)
        if not self.verbatim:
            self.writer.write(_BLANKS.sub(" ", text))
            return
        first, *rest = text.replace("\r\n", "\n").split("\n")
        self.writer.write(first)
        for line in rest:
            self.writer.end_line()
            self.writer.write(line)

    def _start(self, tag: str) -> None:
        found = _NAME.match(tag)
        if found is None:
            return
        name = found.group().lower()
        marks = _attributes(tag)
        if name in _BLOCKS and not self.skipping:
            self.writer.leave_blank() if name == "p" else self.writer.end_line()
        if name in {"br", "hr"} and not self.skipping:
            self._break(name)
        if self._quotes_the_rest(name, marks):
            self.rest_quoted = True
            self.writer.depth += 1
        if name in _VOID or tag.rstrip().endswith("/"):
            return
        opened = _Open(
            name,
            quotes=_is_quote(name, marks),
            skips=name in _SKIPPED
            or _is_hidden(marks)
            or _SIGNATURE.search(marks.get("class", "") or marks.get("id", "")) is not None,
            keeps_blanks=name == "pre"
            or "pre" in re.findall(r"white-space\s*:\s*([a-z-]+)", marks.get("style", "")[:500]),
        )
        self.open.append(opened)
        self.skipping += opened.skips
        self.verbatim += opened.keeps_blanks
        if opened.quotes and self.writer.depth < MAX_DEPTH:
            self.writer.depth += 1
        else:
            opened.quotes = False

    def _break(self, name: str) -> None:
        if name == "br" and self.writer.lines and not self.writer.current:
            return
        if name == "hr":
            self.writer.write("________")
            self.writer.end_line()

    def _end(self, name: str) -> None:
        if name in _BLOCKS and not self.skipping:
            self.writer.leave_blank() if name == "p" else self.writer.end_line()
        if not any(opened.tag == name for opened in self.open[-MAX_OPEN_SEARCH:]):
            return
        while self.open:
            closed = self.open.pop()
            self.skipping -= closed.skips
            self.verbatim -= closed.keeps_blanks
            self.writer.depth -= closed.quotes
            if closed.tag == name:
                break

    def _quotes_the_rest(self, name: str, marks: dict[str, str]) -> bool:
        """Outlook marks where the original begins, not where it ends: what follows is quoted if anything stands above."""
        if self.rest_quoted or self.skipping or not self.writer.has_typed():
            return False
        return bool(
            _REST_QUOTED.search(marks.get("id", ""))
            or (name == "div" and _OUTLOOK_RULE.search(marks.get("style", "")))
        )


MAX_OPEN_SEARCH = 60
"""How far up an end tag looks for its start tag: hostile nesting must not make every end tag a long search."""


def _tokens(source: str) -> Iterator[tuple[str, str]]:
    """`("text", raw)`, `("start", inside of the tag)`, `("end", name)` in order; comments and declarations are dropped."""
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
            closing = source.find("-->", opening + 4)
            at = size if closing < 0 else closing + 3
        elif following[:1] in {"!", "?"}:
            closing = source.find(">", opening)
            at = size if closing < 0 else closing + 1
        elif following[:1].isalpha() or following[:1] == "/":
            closing = _tag_end(source, opening + 1)
            tag = source[opening + 1 : min(closing, opening + MAX_TAG)]
            at = closing + 1
            if tag.startswith("/"):
                yield "end", tag[1:32].strip().split(" ", 1)[0].lower()
            else:
                yield "start", tag
                at = _after_raw_text(source, tag, at)
        else:
            yield "text", "<"
            at = opening + 1


def _tag_end(source: str, start: int) -> int:
    """Where the tag's `>` stands; one inside a quoted attribute value is passed over when the quotes are balanced."""
    closing = source.find(">", start)
    if closing < 0:
        return len(source)
    for _ in range(4):
        tag = source[start : min(closing, start + MAX_TAG)]
        if tag.count('"') % 2 == 0:
            return closing
        further = source.find(">", closing + 1, start + MAX_TAG)
        if further < 0:
            return closing
        closing = further
    return closing


def _after_raw_text(source: str, tag: str, at: int) -> int:
    """Past the content of `script` and `style`, which is not markup."""
    name = tag[:7].lower()
    if not name.startswith(("script", "style")):
        return at
    closing = source.find("</" + ("script" if name.startswith("script") else "style"), at)
    return len(source) if closing < 0 else closing


def _attributes(tag: str) -> dict[str, str]:
    if " " not in tag and "\n" not in tag and "\t" not in tag:
        return {}
    return {name.lower(): value.strip("\"'") for name, value in _ATTRIBUTE.findall(tag)}


def _is_quote(name: str, marks: dict[str, str]) -> bool:
    if name == "blockquote":
        return "margin:0 0 0 40px;border:none" not in marks.get("style", "").replace(" ", "").replace(
            "0px", "0"
        )
    return bool(
        _QUOTED_CLASSES.search(marks.get("class", ""))
        or _QUOTED_IDS.search(marks.get("id", ""))
        or marks.get("name", "").lower() in {"messagereplysection", "quote"}
    )


def _is_hidden(marks: dict[str, str]) -> bool:
    return _HIDDEN.search(marks.get("style", "")[:1000].lower()) is not None


def _unescape(raw: str) -> str:
    """Entities as characters; numbers too long for a character are dropped before the library converts them."""
    if "&" not in raw:
        return raw
    return html.unescape(_LONG_NUMBER.sub("", raw))
