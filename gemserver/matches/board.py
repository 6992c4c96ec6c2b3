"""The board as a picture: SVG for pages, PNG for mails, both from the `templates/board.svg` of its game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from games.contract import Asked
from gemserver.matches.compiled_templates import write
from gemserver.matches.models import Match

PNG_BYTES = 40_000
"""The most that a board may add to a mail (mail-requirements.md Q4)."""
PNG_WIDTH = 480
"""A pixel for each unit of a drawing: lines at whole coordinates are sharp, and equal parts have equal pixels."""
PNG_WIDE = 720
"""For boards that have little on them, such as those of two players; sharper on telephones."""
PNG_GROWTH = 1.7
"""A wide picture takes 1.7 to 1.9 times the bytes of the other, so one that cannot fit is not painted."""
PNG_SMALL = 240
"""For digests: half a pixel for each unit. Jewels and their places are plain to see, small print is not."""
PNG_COLOURS = (64, 40, 28)
"""Each only if the picture with more is too large. With 64 colours, areas keep theirs; with 28 edges are coarse."""

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
    return paint_for_mail(svg(match, view, names, asked))


@lru_cache(maxsize=KEPT_PICTURES)
def paint_for_mail(drawing: str, most: int = PNG_BYTES) -> bytes:
    """Paint as wide and with as many colours as fit into `most` bytes.

    The drawing is the cache key, so no reader gets a picture meant for another.
    """
    # Only workers paint: Pillow and thorvg are no use to a process that draws pages.
    from gemserver.matches.painting import paint

    for colours in PNG_COLOURS:
        picture = paint(drawing, width=PNG_WIDTH, colours=colours)
        if len(picture) <= most:
            break
    if len(picture) * PNG_GROWTH <= most:
        wide = paint(drawing, width=PNG_WIDE, colours=PNG_COLOURS[0])
        return wide if len(wide) <= most else picture
    return picture


def small_png(match: Match, view: Any, names: Sequence[str], asked: Asked | None) -> bytes:
    """Like `png`, `PNG_SMALL` pixels wide, about 10 kB."""
    from gemserver.matches.painting import paint

    return paint(svg(match, view, names, asked), width=PNG_SMALL, colours=PNG_COLOURS[-1])


@lru_cache(maxsize=KEPT_SHARED)
def wide_png(drawing: str) -> bytes:
    """A drawing as a PNG for previews of links, `PNG_WIDE` pixels wide."""
    from gemserver.matches.painting import paint

    return paint(drawing, width=PNG_WIDE, colours=PNG_COLOURS[0])


def loop_gif(drawings: Sequence[str]) -> bytes:
    """The drawings one after the other as a GIF that loops, at reading pace."""
    from gemserver.matches.painting import paint_frames

    return paint_frames(drawings, width=PNG_WIDTH, colours=PNG_COLOURS[0], pause=GIF_PAUSE, rest=GIF_REST)


forget_pictures = paint_for_mail.cache_clear
"""Empty the cache of pictures; for measurements."""
