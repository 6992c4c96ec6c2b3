"""docs/images/layers.svg: the layers that import-linter holds, read from pyproject.toml, and what each is for."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURE = ROOT / "docs/images/layers.svg"

PURPOSE: Mapping[str, str] = {
    "moderation": "what moderators see and do; the audit log",
    "site": "pages, forms, feeds",
    "mailgate": "mail that comes in",
    "api": "what programs see",
    "waiting": "until there is news",
    "operating": "figures, alarms, what is forgotten",
    "study": "what bots say about positions",
    "puzzles": "the puzzle of the day, and answers to it",
    "archive": "finished matches for everybody",
    "inbox": "rows of the mail that came in",
    "matches": "tables, moves, time, talk: one action each",
    "clocks": "arithmetic of time",
    "clubs": "people who play among themselves",
    "ratings": "who plays how well, by finished matches",
    "events": "leagues and tournaments",
    "notify": "the outbox, mail that goes out",
    "accounts": "players, addresses, sessions",
    "lib": "no tables: environment, signing, bounds",
}
WIDTH, ROW, GAP, MARGIN = 760, 52, 18, 16
LIBRARY = 200
"""Width of the box of `games`, beside all layers."""

STYLE = """
    .ground { fill: #f6f5f2; } .box { fill: #ffffff; stroke: #8b8578; } .library { fill: #e6eefa; stroke: #24559f; }
    text { font: 13px system-ui, sans-serif; fill: #22202a; } .name { font-weight: 700; font-size: 15px; }
    .arrow { stroke: #5f5b66; stroke-width: 1.5; fill: none; } .head { fill: #5f5b66; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #16161b; } .box { fill: #202027; stroke: #8d8998; } .library { fill: #1d2b44; stroke: #8db4f0; }
      text { fill: #ecebf0; } .arrow { stroke: #b3afbd; } .head { fill: #b3afbd; }
    }
"""


def read_layers() -> list[list[str]]:
    """The layers from the top down; those in one row do not know each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each["type"] == "layers")
    return [[name.strip().removeprefix("gemserver.") for name in layer.split("|")] for layer in layers]


def draw(layers: Sequence[Sequence[str]]) -> str:
    """The picture as SVG. Raises KeyError for a layer that `PURPOSE` does not know."""
    height = 2 * MARGIN + len(layers) * ROW + (len(layers) - 1) * GAP
    tops = [MARGIN + number * (ROW + GAP) for number in range(len(layers))]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title">',
        '<title id="title">Imports point downward: ' + escape(" → ".join(" | ".join(row) for row in layers)),
        f"and from matches up → games</title>\n<style>{STYLE}</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="head" d="M0 0L8 4L0 8z"/></marker>',
        f'<rect class="ground" width="{WIDTH}" height="{height}" rx="10"/>',
        *(part for row, top in zip(layers, tops, strict=True) for part in _row(row, top)),
        *(_arrow(_middle(), top + ROW, _middle(), below) for top, below in pairwise(tops)),
        *_library(height, tops[next(at for at, row in enumerate(layers) if "matches" in row)]),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _row(names: Sequence[str], top: int) -> Iterator[str]:
    whole = WIDTH - LIBRARY - 4 * MARGIN
    width = (whole - GAP * (len(names) - 1)) // len(names)
    for number, name in enumerate(names):
        yield from _box("box", MARGIN + number * (width + GAP), top, width, ROW)
        middle = MARGIN + number * (width + GAP) + width // 2
        yield f'<text class="name" x="{middle}" y="{top + 21}" text-anchor="middle">{escape(name)}</text>'
        yield f'<text x="{middle}" y="{top + 40}" text-anchor="middle">{escape(PURPOSE[name])}</text>'


def _library(height: int, top: int) -> Iterator[str]:
    left = WIDTH - LIBRARY - MARGIN
    middle = left + LIBRARY // 2
    yield from _box("library", left, MARGIN, LIBRARY, height - 2 * MARGIN)
    yield f'<text class="name" x="{middle}" y="{top - 10}" text-anchor="middle">games</text>'
    for number, line in enumerate(
        ("the rules of the games:", "pure Python, no Django,", "no clock, no files")
    ):
        yield f'<text x="{middle}" y="{top + 14 + 19 * number}" text-anchor="middle">{line}</text>'
    yield _arrow(left - 2 * MARGIN, top + ROW // 2, left, top + ROW // 2)


def _middle() -> int:
    return MARGIN + (WIDTH - LIBRARY - 4 * MARGIN) // 2


def _box(kind: str, left: int, top: int, width: int, height: int) -> Iterator[str]:
    yield f'<rect class="{kind}" x="{left}" y="{top}" width="{width}" height="{height}" rx="8"/>'


def _arrow(*ends: int) -> str:
    return '<path class="arrow" marker-end="url(#head)" d="M{} {}L{} {}"/>'.format(*ends)
