"""Plain text: cleans what people typed, and lays out mails."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence

from django.utils.translation import gettext

from gemserver.lib.text.patterns import Pattern

COLUMNS = 72

_LONGEST_TITLE = 48
_ITEM, _BELOW_ITEM = "  * ", "    "
_QUOTE = "| "
_GLUE = "\ue000"
_AFTER_COLON = Pattern(r":( +)(?=\S)")
_BEFORE_SIGN = Pattern(r" (?=[:;?!»](?:\W|$))")
"""The blank before a sign, as French has it; no line begins with the sign."""
_BEFORE_COMMAND = Pattern(r":( +)(?=\S)(?!https?://)")
_LINE_ENDS = Pattern(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNWANTED: dict[int, None] = {
    code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"
}
_UNWANTED.update(dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFFFE, 0xFFFF)))
"""Control characters, those that change the direction of writing, which can make a text look like another, and the two
that no XML may have: a feed with one of them could not be read."""

_EMPTY_LINES = Pattern(r"\n[ \t]*(?:\n[ \t]*)+\n")


def tidy(text: str) -> str:
    """Wrap paragraphs, `  * ` items and the lines below these to `COLUMNS`, with at most one empty line in a row.

    Other indented lines (drawings), and quoted ones, stay as they are; an address is never broken.
    """
    lines = _EMPTY_LINES.sub("\n\n", text.strip()).splitlines()
    return "\n".join(_wrap(line.rstrip()) for line in lines) + "\n"


def _wrap(line: str) -> str:
    is_item = line.startswith((_ITEM, _BELOW_ITEM)) and not line.startswith(_BELOW_ITEM + " ")
    if len(line) <= COLUMNS or line.startswith(_QUOTE) or (line.startswith(" ") and not is_item):
        return line
    # A line must not begin with words that stood behind a colon: `write: join M17` must not become a line `join M17`;
    # nor be a mere `--`, which a client takes for a signature's mark.
    # What is to be written, behind two blanks, stays whole, so that nobody copies half of it.
    before, gap, command = line.rpartition(":  ")
    if len(command) < COLUMNS // 2:
        line = before + gap + command.replace(" ", _GLUE)
    glued = _BEFORE_COMMAND.sub(lambda found: ":" + _GLUE * len(found[1]), line)
    glued = _BEFORE_SIGN.sub(_GLUE, glued)
    if glued.endswith(" --"):
        glued = f"{glued.removesuffix(' --')}{_GLUE}--"
    lines = textwrap.wrap(
        glued,
        COLUMNS,
        subsequent_indent=_BELOW_ITEM if is_item else "",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_GLUE, " ")


def hold_together(text: str) -> str:
    """Replace the blank behind each colon by one at which no client breaks the line when it turns HTML into plain text.

    So `the one word: unsubscribe` never becomes a line `unsubscribe`.
    """
    return _AFTER_COLON.sub(lambda found: ":" + "\u00a0" * len(found[1]), text)


def clean(text: str) -> str:
    """Text as typed by somebody, with `\n` as its only line end, without control characters or surrounding blanks."""
    lines = _LINE_ENDS.sub("\n", text).translate(_UNWANTED).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def quote_lines(text: str) -> list[str]:
    """Quote somebody else's words in lines of at most `COLUMNS` that all begin with `| ` (mail-requirements.md O2).

    So none of them can pass for a command or for our marker in a reply that quotes it, and no client has a reason to
    wrap them. Only a link may be longer; it has its line to itself.
    """
    lines = [piece for line in clean(text).split("\n") for piece in _wrap_quoted(line)]
    return [f"{_QUOTE}{line}".rstrip() for line in lines]


def _wrap_quoted(line: str) -> list[str]:
    width = COLUMNS - 2
    pieces = textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]
    return [part for piece in pieces for part in _chop(piece, width)]


def _chop(piece: str, width: int) -> list[str]:
    if not piece or "://" in piece:
        return [piece]
    return [piece[at : at + width] for at in range(0, len(piece), width)]


def indent_lines(text: str) -> str:
    """Indent each line by two blanks, so that none can be read as a command, or be wrapped by `tidy`."""
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())


def has_columns(text: str) -> bool:
    """True for a map or a table, whose lines must not be wrapped: some line of it has four words far apart."""
    return any(len([word for word in line.split("  ") if word.strip()]) > 3 for line in text.splitlines())


def unfold(text: str) -> list[tuple[str, bool]]:
    """The lines of a board in words for a window of any width; true for those of a map, which must not be wrapped.

    Outside of the map, what was wrapped to `COLUMNS` is one line again.

    >>> text = "  Auction: Ana (A) offers 1, Ben (B) is still to call, Cy (C) is still to\\n     call"
    >>> unfold(text)
    [('  Auction: Ana (A) offers 1, Ben (B) is still to call, Cy (C) is still to call', False)]
    """
    lines = text.splitlines()
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    area = _find_map(lines)
    unfolded: list[tuple[str, bool]] = []
    for at, line in enumerate(lines):
        if (
            at
            and at not in area
            and at - 1 not in area
            and _goes_on(lines[at - 1], line, unfolded[-1][0], margin)
        ):
            unfolded[-1] = (f"{unfolded[-1][0]} {line.strip()}", False)
        else:
            unfolded.append((line, at in area))
    return unfolded


def _find_map(lines: Sequence[str]) -> range:
    """Where the lines with columns are, with those that stand at them."""
    found = [at for at, line in enumerate(lines) if has_columns(line)]
    if not found:
        return range(0)
    first, last = found[0], found[-1]
    while first and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return range(first, last + 1)


def _goes_on(before: str, line: str, begun: str, margin: int) -> bool:
    """True if this line is the rest of the one before, which had no room for its first word."""
    if not line.strip() or not before.strip():
        return False
    word = line.split(maxsplit=1)[0]
    if len(before) + 1 + len(word) <= COLUMNS + margin:
        return False
    title, colon_sign, _ = line.partition(":")
    is_titled = bool(colon_sign) and "," not in title and len(title) <= _LONGEST_TITLE
    is_below = _indent(line) > _indent(begun) and not is_titled
    is_in_prose = _indent(line) == margin and word[0].islower()
    return before.endswith(",") or is_below or is_in_prose


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def keep_direction(text: str, names: Sequence[str]) -> str:
    """Put a left-to-right mark behind each name in Hebrew or Arabic letters.

    Else programs move what follows it to its other side: `SARA: 3 points` is shown as `3 :SARA points`.
    """
    for name in sorted(set(names), key=len, reverse=True):
        if any(unicodedata.bidirectional(sign) in {"R", "AL"} for sign in name):
            text = text.replace(name, f"{name}\u200e")
    return text


def colon(head: object) -> str:
    """The head of a line, with a colon as the active language writes it: French puts a blank before."""
    return gettext("{title}:").format(title=head)


def end_sentence(text: str) -> str:
    """The text with a full stop, unless its last sentence has an end; for words of people between sentences of ours.

    >>> end_sentence("they misclicked"), end_sentence("they misclicked!")
    ('they misclicked.', 'they misclicked!')
    """
    text = text.rstrip()
    return text if text.endswith((".", "!", "?", "…", ".)", ".”", ".»")) else f"{text}."
