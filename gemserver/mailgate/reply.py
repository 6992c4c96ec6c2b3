"""Extracts the text that a sender typed from a mail that may quote another (mail-requirements.md Q1).

One pass over bounded lines. Quoted lines, attribution lines, header blocks, our marker and our own notification text
go; what was typed above, between and below stays. Signatures, app lines and closings go too. Every regular expression
is anchored or runs on a bounded slice, and all searches in one mail are counted (`lib/patterns`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from gemserver.lib.text.fingerprint import Fingerprint
from gemserver.lib.text.patterns import Pattern, TooMuchWork, limited
from gemserver.mailgate.header import UnreadableMail
from gemserver.mailgate.lines.command_words import COMMAND_WORDS
from gemserver.mailgate.parse import STEPS, parse
from gemserver.mailgate.reading.attribution import attribution_length, glued_attribution
from gemserver.mailgate.reading.html_text import html_to_text
from gemserver.mailgate.reading.line_ends import as_typed
from gemserver.mailgate.reading.quoted_headers import header_block_length, is_introduction, is_title
from gemserver.mailgate.reading.sent_text import find_sent_runs, is_marker
from gemserver.mailgate.reading.signature import (
    is_app_line,
    is_footer,
    is_rule,
    is_signature_delimiter,
    without_closing,
    without_dashed_name,
)
from gemserver.mailgate.reading.text_lines import bare, is_quoted, split_lines
from gemserver.mailgate.reading.texts import is_end

MAX_SENT = 60_000
"""Characters of one of our mails that are compared."""

WRAP_COLUMN = 76
"""Length from which a quoted line may have been wrapped once more; ours are shorter, with their quote mark."""

_SAID = Pattern(r"\s{0,8}(?:say|note)(?:\s|$)", re.IGNORECASE)
"""A player's talk may look like anything; only what is glued to its end is looked at."""

_OPENS_BLOCK = Pattern(
    r"\s{0,8}(?:m\d{1,9}\s?:\s?)?(?:plan|plan always|say|note)\s{0,8}:?\s{0,8}", re.IGNORECASE
)
"""The first line of a text that a line with `end` closes."""

_HEAD_LIKE = Pattern(r"[:：]|[-_=—–~]{2}")
"""Marks of a title, an introduction or a header field; lines without them are not searched for these."""

_OPEN_LINK = Pattern(r"[(<]https?://[^\s()<>]{0,300}$")


def read_reply(
    body: str,
    sent: Iterable[Fingerprint] = (),
    *,
    beside: str = "",
    is_command: Callable[[str], bool] = lambda line: line.lower() in COMMAND_WORDS,
) -> str:
    """The typed part of a plain-text body.

    `sent` are the mails of ours that it may answer: runs of their lines are dropped wherever they stand, and so is the
    courteous closing of an answer. `beside`: the HTML part of the same mail, from `html_to_marked_text`. `is_command`
    is asked about lines that look like the name below a closing. Raises TooMuchWork if a limit is set.
    """
    known = list(sent)
    typed = _read(body, known)
    if beside:
        typed = as_typed(typed, _read(beside, known))
    if known:
        typed = without_closing(typed, is_command)
    return "\n".join(_trimmed(without_dashed_name(_trimmed(typed))))


def extract_text(body: str, sent: str = "", *, beside: str = "") -> str:
    """The typed part of a plain-text body; `sent` is the text of the mail that it answers, if known.

    Empty if reading it takes too much work.
    """
    try:
        with limited(STEPS):
            return read_reply(body, [Fingerprint.of(sent[:MAX_SENT])] if sent else [], beside=beside)
    except TooMuchWork:
        return ""


def _read(body: str, sent: Iterable[Fingerprint]) -> list[str]:
    lines = split_lines(body)
    blocks = _find_blocks(lines)
    runs = find_sent_runs(lines, sent)
    quoted = [
        run for run in runs if not any(block.start <= run.start < run.stop <= block.stop for block in blocks)
    ]
    return _Reader(lines, quoted, blocks).read()


def _find_blocks(lines: list[str]) -> list[range]:
    """The insides of texts of several lines, from `plan`, `say` or `note` down to `end`: all of them was typed.

    The moves of a plan are those that our mail lists, and talk may quote, or look like a header or a signature. Our
    marker is in none: there a text without its `end` runs into our mail.
    """
    blocks: list[range] = []
    opened = None
    for at, line in enumerate(lines):
        if opened is None and _OPENS_BLOCK.fullmatch(line):
            opened = at + 1
        elif opened is not None and is_marker(lines, at):
            opened = None
        elif opened is not None and is_end(bare(line)):
            blocks.append(range(opened, at))
            opened = None
    return blocks


def extract_html(html: str) -> str:
    """The typed part of an HTML body, as plain text."""
    return extract_text(html_to_text(html))


def extract_eml(raw: bytes, sent: str = "") -> str:
    """The typed part of a whole mail; empty if the mail cannot be read. `make reply-scores` names what was `sent`."""
    try:
        mail = parse(raw)
    except UnreadableMail:
        return ""
    return extract_text(mail.text, sent, beside=mail.beside)


class _Reader:
    """Walks down the lines and keeps the typed ones."""

    def __init__(self, lines: list[str], sent_runs: list[range], blocks: list[range]) -> None:
        self.lines = lines
        self.blocks = {block.start - 1: block for block in blocks}
        """By the line with its first word."""
        marked = [is_quoted(line) for line in lines]
        self.original = _unmarked_original(lines, marked, sent_runs)
        sent = {number for run in (*sent_runs, self.original) for number in run if lines[number]}
        self.quoted = [number in sent or mark for number, mark in enumerate(marked)]
        self.kept: list[str] = []
        self.has_typed = False
        """True if one of `kept` has more than blanks and invisible characters."""
        self.in_signature = False
        self.typed_above_quote = False

    def read(self) -> list[str]:
        at = 0
        while at < len(self.lines):
            step = self._step(at)
            if step == 0:
                break
            at += step
        return self.kept

    def _step(self, at: int) -> int:
        """Deal with the lines here and return how many there were; 0 if nothing below was typed."""
        line = self.lines[at]
        if self.quoted[at]:
            if self._may_end_at(at) and is_marker(self.lines, at):
                return 0
            self._enter_quote()
            return 2 if self._is_wrapped_tail(at + 1) else 1
        if not line:
            self.kept.append(line)
            return 1
        if at in self.blocks and not self.in_signature:
            return self._keep_block(at, self.blocks[at])
        if is_marker(self.lines, at):
            return 0
        glued = self._glued_at(at)
        if glued > 0:
            return self._split_glued(at, glued)
        if _SAID.match(line):
            self._read_typed(line)
            return 1
        head = self._head_length(at)
        if head:
            return head if self._is_quoted_below(at + head) and not self._may_end_at(at + head) else 0
        attribution = attribution_length(self.lines, at, self._is_original_below)
        if attribution:
            return self._skip_attribution(at, attribution)
        if not self._is_introduction(at):
            self._read_typed(line)
        return 1

    def _read_typed(self, line: str) -> None:
        if self.in_signature:
            return
        if is_signature_delimiter(line) or is_footer(line):
            self.in_signature = True
        elif is_app_line(line):
            self.in_signature = self.has_typed
        else:
            self._keep(line)

    def _keep(self, line: str) -> None:
        self.kept.append(line)
        self.has_typed = self.has_typed or bool(bare(line))

    def _keep_block(self, at: int, block: range) -> int:
        for line in self.lines[at : block.stop + 1]:
            self._keep(line)
        return block.stop + 1 - at

    def _enter_quote(self) -> None:
        self.in_signature = False
        self.typed_above_quote = self.typed_above_quote or self.has_typed

    def _is_wrapped_tail(self, at: int) -> bool:
        """True if this line is the end of a quoted one that a client wrapped without repeating the mark."""
        if not 0 < at < len(self.lines) - 1 or self.quoted[at] or not self.quoted[at + 1]:
            return False
        above, line = self.lines[at - 1], self.lines[at]
        if not line or not self.typed_above_quote:
            return False
        return _OPEN_LINK.search(above) is not None or len(line) < len(above) >= WRAP_COLUMN

    def _head_length(self, at: int) -> int:
        """Number of lines in the head of an original mail that begins here: a title, header fields, or both."""
        if not _HEAD_LIKE.search(self.lines[at]):
            return 0
        if not is_title(self.lines[at], self.lines[at + 1 : at + 8]):
            return header_block_length(self.lines, at)
        below = at + 1
        while below < len(self.lines) and not self.lines[below]:
            below += 1
        fields = header_block_length(self.lines, below, titled=True) if below < len(self.lines) else 0
        return below + fields - at if fields else 1

    def _is_introduction(self, at: int) -> bool:
        if not self.lines[at].endswith((":", "：")):
            return False
        return is_introduction(self.lines[at], self.lines[at + 1 : at + 8])

    def _skip_attribution(self, at: int, length: int) -> int:
        """Skip an attribution: the original below is either quoted, with typed text after it, or it is all the rest.

        If nothing was typed above, unquoted text below an attribution is a reply whose quote was left out.
        """
        self._enter_quote()
        if not self.has_typed:
            return length
        return length if self._is_quoted_below(at + length) and not self._may_end_at(at + length) else 0

    def _may_end_at(self, at: int) -> bool:
        """True if an original without quote marks goes on there, below typed text: then nobody types below it."""
        following = self._next_with_text(at)
        return following is not None and following in self.original and self.has_typed

    def _is_quoted_below(self, at: int) -> bool:
        following = self._next_with_text(at)
        return following is not None and self.quoted[following]

    def _is_original_below(self, at: int) -> bool:
        following = self._next_with_text(at)
        if following is None or self.quoted[following]:
            return following is not None
        return header_block_length(self.lines, following, titled=True) > 0

    def _next_with_text(self, at: int) -> int | None:
        return next(
            (number for number in range(at, min(at + 4, len(self.lines))) if self.lines[number]), None
        )

    def _glued_at(self, at: int) -> int:
        """Start of an attribution in the typed line; not behind a lone `say`, whose text it would be."""
        glued = glued_attribution(self.lines[at], self.lines[at + 1 : at + 6])
        return -1 if glued > 0 and _SAID.fullmatch(self.lines[at][:glued].rstrip()) else glued

    def _split_glued(self, at: int, glued: int) -> int:
        if not self.in_signature:
            self._keep(self.lines[at][:glued].rstrip(" -"))
        rest = [self.lines[at][glued:], *self.lines[at + 1 : at + 6]]
        return self._skip_attribution(at, max(1, attribution_length(rest, 0, lambda _: False)))


def _unmarked_original(lines: list[str], marked: list[bool], sent_runs: list[range]) -> range:
    """From the first to the last run of a notification that a client quoted without marks.

    The client has changed the text between, so it is no reply. Our own `| ` is no mark of a client.
    """
    foreign = [mark and not line.lstrip().startswith("|") for mark, line in zip(marked, lines, strict=True)]
    bare_runs = [run for run in sent_runs if not any(foreign[run.start : run.stop])]
    if not bare_runs:
        return range(0)
    return range(min(run.start for run in bare_runs), max(run.stop for run in bare_runs))


def _trimmed(lines: list[str]) -> list[str]:
    """The lines without empty and drawn ones at both ends."""
    start, end = 0, len(lines)
    while end and (not bare(lines[end - 1]) or is_rule(lines[end - 1])):
        end -= 1
    while start < end and not bare(lines[start]):
        start += 1
    return lines[start:end]
