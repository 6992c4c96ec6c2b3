"""Undoes `format=flowed` (RFC 3676), so that a line of the text is a line as it was typed.

See mail-requirements.md M5.
"""

from __future__ import annotations


def unflow(text: str, *, delete_space: bool) -> str:
    """Join soft line breaks within one quote depth; each quote mark becomes `> `.

    `delete_space` is the parameter `DelSp=yes`: the blank before the break is not part of the text.
    """
    lines: list[str] = []
    paragraph: list[str] | None = None
    open_depth = 0
    for raw in text.split("\n"):
        depth, line = _without_marks(raw)
        flows = line.endswith(" ") and line != "-- "
        if paragraph is not None and (depth != open_depth or line == "-- "):
            lines.append(_quoted(open_depth, "".join(paragraph)))
            paragraph = None
        if paragraph is None:
            paragraph, open_depth = [], depth
        paragraph.append(line[:-1] if flows and delete_space else line)
        if not flows:
            lines.append(_quoted(depth, "".join(paragraph)))
            paragraph = None
    if paragraph is not None:
        lines.append(_quoted(open_depth, "".join(paragraph)))
    return "\n".join(lines)


def _without_marks(raw: str) -> tuple[int, str]:
    line = raw.lstrip(">")
    return len(raw) - len(line), line[1:] if line.startswith(" ") else line


def _quoted(depth: int, line: str) -> str:
    return f"{'>' * depth} {line}" if depth else line
