"""The board as a picture: SVG for pages, PNG for mails, both from the `templates/board.svg` of its game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from games.contract import Asked
from gemserver.matches.boards import game_templates
from gemserver.matches.boards.compiled_templates import write
from gemserver.matches.models import Match

if TYPE_CHECKING:
    from gemserver.matches.boards.painting import Palette

PNG_BYTES = 40_000
"""The most that a board may add to a mail (mail-requirements.md Q4)."""
PNG_WIDTH = 480
"""A pixel for each unit of a drawing: lines at whole coordinates are sharp, and equal parts have equal pixels."""
PNG_WIDE = 720
"""For boards that have little on them, such as those of two players; sharper on telephones."""
PNG_WIDE_PART, GUESS_WIDE_PART = 0.58, 0.48
"""A wide picture takes 1.6 to 1.9 times the bytes of the other, so it is painted only where the other takes no larger
part of what a board may add. As a guess, which is often too low, still less."""
PNG_SMALL = 240
"""For digests: half a pixel for each unit. Jewels and their places are plain to see, small print is not."""
PALETTE = 95
"""Colours of a game's palette (`palette.txt`, written by `python -m tests.pictures.palettes`)."""
PNG_COLOURS = (64, 28)
"""Of pictures that have palettes of their own. With 64, areas keep their colours; with 28 edges are coarse."""

GIF_PAUSE = 1100
"""Milliseconds that a frame of a looping picture is shown, and the last one."""
GIF_REST = 4000

KEPT_PICTURES = 64
"""Receipt, turn mail and reminder of one position mostly show the same board; painting it is half of their cost.
About 2 MB for each process."""
KEPT_SHARED = 32
"""A link in a busy chat is asked for by many at once; some 40 kB each."""


def svg(match: Match, view: Any, names: Sequence[str], asked: Asked | None) -> str:
    """Draw the board of this view as an SVG element; `asked` as in `games.contract.Words.draw`."""
    return draw(match.game, match.layout.layout(view, names, asked))


def draw(game: str, layout: Any) -> str:
    """Draw the items of the game's `layout`, in the active language."""
    return write(f"games/{game}/board.svg", board=layout)


def png(match: Match, view: Any, names: Sequence[str], asked: Asked | None) -> bytes:
    """Like `svg`, as a PNG for mails, of at most `PNG_BYTES` as far as a drawing allows."""
    return paint_for_mail(match.game, svg(match, view, names, asked))


@lru_cache(maxsize=KEPT_PICTURES)
def paint_for_mail(game: str, drawing: str) -> bytes:
    """Paint as wide and with as many colours as fit into `PNG_BYTES`.

    The drawing is the cache key, so no reader gets a picture meant for another.
    """
    # Only workers paint: Pillow and thorvg are no use to a process that draws pages.
    from gemserver.matches.boards.painting import LEVEL, LEVEL_FAST, Try, paint, paint_to_fit

    how: Any = {"palette": palette(game), "most": PNG_BYTES}
    all_colours = Try(PALETTE, LEVEL_FAST)
    wide: Any = {"width": PNG_WIDE, "tries": [all_colours], **how}
    is_wide_first = _guess_bytes(drawing) <= PNG_BYTES * GUESS_WIDE_PART
    if is_wide_first and (picture := paint_to_fit(drawing, **wide)):
        return picture
    fewer = [Try(63, LEVEL_FAST, 0.92), Try(63, LEVEL, 0.87), Try(39, LEVEL, 0.8), Try(27, LEVEL, 0)]
    picture = paint_to_fit(drawing, width=PNG_WIDTH, tries=[all_colours, *fewer], **how)
    if picture is None:
        return paint(drawing, width=PNG_WIDTH, colours=PNG_COLOURS[-1])
    if not is_wide_first and len(picture) <= PNG_BYTES * PNG_WIDE_PART:
        return paint_to_fit(drawing, **wide) or picture
    return picture


def _guess_bytes(drawing: str) -> float:
    """Guess from heights, jewels and letters how large the picture will be.

    A wrong guess costs a second painting, but decides nothing.
    """
    root, _, drawn = drawing.partition("</defs>")
    height = _HEIGHT.search(root)
    letters = sum(map(len, _LETTERS.findall(drawn)))
    return 22 * float(height[1] if height else 0) + 38 * drawn.count("<use") + 13 * letters


_HEIGHT = re.compile(r'\sheight="([\d.]+)"')
_LETTERS = re.compile(r">([^<>\s][^<>]*)<")


@lru_cache(maxsize=32)
def palette(game: str) -> Palette:
    """The colours of the game's boards in mails, from its `palette.txt`; none if it has no such file."""
    written = (game_templates.read(f"games/{game}/palette.txt") or "").split()
    return tuple((colour[0], colour[1], colour[2]) for colour in map(bytes.fromhex, written))


def small_png(match: Match, view: Any, names: Sequence[str], asked: Asked | None) -> bytes:
    """Like `png`, `PNG_SMALL` pixels wide, about 10 kB."""
    from gemserver.matches.boards.painting import paint

    return paint(svg(match, view, names, asked), width=PNG_SMALL, colours=PNG_COLOURS[-1])


@lru_cache(maxsize=KEPT_SHARED)
def wide_png(drawing: str) -> bytes:
    """A drawing as a PNG for previews of links, `PNG_WIDE` pixels wide."""
    from gemserver.matches.boards.painting import paint

    return paint(drawing, width=PNG_WIDE, colours=PNG_COLOURS[0])


def loop_gif(drawings: Sequence[str]) -> bytes:
    """The drawings one after the other as a GIF that loops, at reading pace."""
    from gemserver.matches.boards.painting import paint_frames

    return paint_frames(drawings, width=PNG_WIDTH, colours=PNG_COLOURS[0], pause=GIF_PAUSE, rest=GIF_REST)
