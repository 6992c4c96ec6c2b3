"""Lays the rules of a game out for a mail, from their Markdown: as plain text, and as HTML with the same words.

No line of either begins with a move, because a mail program may send our words back without any mark of quoting
(mail-requirements.md Q3): what stands behind a colon or in code is held together with what stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from gemserver.lib.text.plain import COLUMNS, colon

_LINK = re.compile(r"\[([^][]*)\]\([^()]*\)")
_CODE = re.compile(r"(\s?)`([^`]*)`")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|\*|_)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(\s*)(\d{1,3}\.|[-*])\s+(.*)")
_RULE = re.compile(r"\s*\|[\s|:-]*\|\s*")
_HELD = "\ue000"


@dataclass(slots=True)
class Block:
    """A heading, paragraph, item of a list or row of a table; `mark` is an item's number or dash."""

    kind: str
    text: str
    mark: str = ""
    depth: int = 0


def read_blocks(markdown: str) -> list[Block]:
    """Read the Markdown that rules are written in: headings, paragraphs, lists, tables."""
    return [Block(block.kind, _plain(block.text), block.mark, block.depth) for block in _read(markdown)]


def lay_out_text(blocks: list[Block]) -> str:
    """Write lines of at most `COLUMNS`, each indented, with headings in capitals."""
    lines: list[str] = []
    for at, block in enumerate(blocks):
        if at and not (block.kind == blocks[at - 1].kind and block.kind in {"item", "row"}):
            lines.append("")
        text = block.text.upper() if block.kind == "head" else block.text
        mark = f"{block.mark} " if block.mark else ""
        indent = "  " + "  " * block.depth
        lines += wrap(
            text,
            COLUMNS,
            initial_indent=indent + mark,
            subsequent_indent=indent + " " * len(mark),
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines).replace(_HELD, " ")


def lay_out_html(blocks: list[Block]) -> SafeString:
    """Write a paragraph for each block, which a mail program fits to its window."""
    styles = {
        "head": "margin:16px 0 4px 0;font-weight:bold;",
        "item": "margin:0 0 4px 0;padding-left:{}px;text-indent:-20px;",
        "row": "margin:0 0 4px 0;padding-left:{}px;text-indent:-20px;",
    }
    paragraphs = (
        (
            styles.get(block.kind, "margin:0 0 8px 0;").format(20 + 16 * block.depth),
            f"{block.mark}\u00a0" if block.mark else "",
            block.text.replace(_HELD, "\u00a0"),
        )
        for block in blocks
    )
    return format_html_join("\n", '<p style="{}">{}{}</p>', paragraphs)


def _read(markdown: str) -> Iterator[Block]:
    open_block: Block | None = None
    titles: list[str] = []
    for line in markdown.splitlines():
        heading, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        is_row = line.lstrip().startswith("|")
        if not is_row:
            titles = []
        if open_block and (heading or item or is_row or not line.strip()):
            yield open_block
            open_block = None
        if heading:
            yield Block("head", heading[2])
        elif item:
            open_block = Block("item", item[3], item[2].replace("*", "-"), len(item[1]) // 2)
        elif is_row and not _RULE.fullmatch(line):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if titles:
                yield Block("row", _say_row(titles, cells), "-", 1)
            titles = titles or cells
        elif open_block:
            open_block.text += " " + line.strip()
        elif line.strip() and not is_row:
            open_block = Block("text", line.strip())
    if open_block:
        yield open_block


def _say_row(titles: list[str], cells: list[str]) -> str:
    """A row of a table as a sentence: of two columns `to bid: bid 3`, of more with their titles."""
    if len(cells) == 2:
        return f"{colon((titles[0] + ' ' if cells[0].isdigit() else '') + cells[0])} {cells[1]}"
    named = [f"{title} {cell}".strip() for title, cell in zip(titles[1:], cells[1:], strict=False) if cell]
    return f"{colon(cells[0])} {', '.join(named)}"


def _plain(text: str) -> str:
    """The words without the marks of Markdown; code, and what follows a colon or a dot between moves, is held."""
    words = _LINK.sub(r"\1", text)
    words = _CODE.sub(lambda found: (_HELD if found[1] else "") + found[2].replace(" ", _HELD), words)
    for _ in range(2):
        words = _EMPHASIS.sub(r"\2", words)
    return re.sub(r"([:·]) +", rf"\1{_HELD}", words).replace(f" ·{_HELD}", f"{_HELD}·{_HELD}")
