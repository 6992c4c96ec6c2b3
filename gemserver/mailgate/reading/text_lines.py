"""Splits a mail's text into lines: cleaning, bounds and quote marks, before anything looks for meaning in them."""

from __future__ import annotations

import re
import unicodedata

from gemserver.lib.text.patterns import Pattern, spend

MAX_TEXT = 200_000
"""Characters of body text that are read at all (mail-requirements.md M8)."""

MAX_LINES = 2000
MAX_MARKS = 30
"""Consecutive combining marks, more than any language writes."""
MAX_LINE = 2000

_LINE_ENDS = Pattern(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
_UNSEEN.update(dict.fromkeys(range(0x202A, 0x202F)))
_UNSEEN.update(dict.fromkeys(range(0x2066, 0x206A)))
_UNSEEN_BESIDE_JOINERS = {code: None for code in _UNSEEN if chr(code) not in "\u200c\u200d"}
_CONTROLS = {code: None for code in range(0x20) if chr(code) not in "\t\n"} | dict.fromkeys(range(0x7F, 0xA0))
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u1680\u2007\u202f\u205f\u3000"), " ")
_BLANKS.update(dict.fromkeys(range(0x2000, 0x200B), " "))
_DOT_ABOVE = "\u0307"
"""Second character of the caseless form of the Turkish capital İ, after its `i`."""

_RUN_OF_BLANKS = Pattern(r"[ \t]+")
_MAY_BE_MARKS = Pattern(rf"[\u0300-\U0010ffff]{{{MAX_MARKS + 1},}}")

_MARKS = Pattern(r"[ \t]{0,4}(?:[A-Za-z]{0,4}>|[|](?=\s|$)|[>»](?!\w))[ \t]?")
_MORE_MARKS = Pattern(r"(?:[ \t]{0,2}(?:>|[|](?=\s|$)))+[ \t]?")


def unify_line_ends(text: str) -> str:
    """The text with `\\n` as its only line end."""
    return _LINE_ENDS.sub("\n", text)


def drop_controls(text: str) -> str:
    """The text without NUL and other control characters; tabs and line feeds stay (mail-requirements.md M8)."""
    return text.translate(_CONTROLS)


def thin_marks(text: str) -> str:
    """Keep at most `MAX_MARKS` combining marks on one letter.

    Sorting longer runs of them takes Unicode normalisation quadratic time (UAX #15, Stream-Safe Text Format).
    """
    return text if text.isascii() else _MAY_BE_MARKS.sub(_thin, text)


def _thin(signs: re.Match[str]) -> str:
    spend(2 * len(signs.group()))
    kept: list[str] = []
    row = 0
    for sign in signs.group():
        row = row + 1 if unicodedata.combining(sign) else 0
        if row <= MAX_MARKS:
            kept.append(sign)
    return "".join(kept)


def split_lines(text: str) -> list[str]:
    """The lines of a body, bounded (mail-requirements.md M8), without controls, runs of marks and trailing blanks.

    The rest is cut off: no command is ever that far down.
    """
    cleaned = thin_marks(drop_controls(unify_line_ends(text[:MAX_TEXT])))
    return [line[:MAX_LINE].rstrip() for line in cleaned.split("\n", MAX_LINES)[:MAX_LINES]]


def bare(line: str) -> str:
    """A line in the form that the classifiers compare: no invisible characters, every run of blanks one blank."""
    if line.isascii():
        return _RUN_OF_BLANKS.sub(" ", line).strip()
    spend(2 * len(line))
    seen = unicodedata.normalize("NFC", line).translate(_UNSEEN).translate(_BLANKS)
    return _RUN_OF_BLANKS.sub(" ", seen).strip()


def spoken(line: str) -> str:
    """A line of talk as `bare` gives it, with the signs that join letters and emoji: 👨‍👩‍👧 is one sign of five."""
    if line.isascii():
        return bare(line)
    spend(2 * len(line))
    seen = unicodedata.normalize("NFC", line).translate(_UNSEEN_BESIDE_JOINERS).translate(_BLANKS)
    return _RUN_OF_BLANKS.sub(" ", seen).strip()


def folded(line: str) -> str:
    """The bare line in caseless form, like the tables of words."""
    return bare(line).casefold().replace(_DOT_ABOVE, "")


def is_quoted(line: str) -> bool:
    """True if the line stands behind a quote mark: `>`, `| `, `»`, or the initials of `XY>`."""
    return _MARKS.match(line) is not None


def unquoted(line: str) -> str:
    """The line without its quote marks."""
    first = _MARKS.match(line)
    if first is None:
        return line
    rest = line[first.end() :]
    more = _MORE_MARKS.match(rest)
    return rest[more.end() :] if more else rest
