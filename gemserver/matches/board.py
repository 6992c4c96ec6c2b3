"""The board as a picture: SVG for pages, PNG for mails, both from `templates/games/<slug>/board.svg`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import resvg_py
from django.template.loader import render_to_string
from PIL import Image

from games.contract import Asked
from gemserver.matches.models import Match

FONTS = Path(__file__).resolve().parent.parent.parent / "static" / "fonts"
PNG_WIDTH = 780
"""Pixels; one and a half times the width at which mails show it."""
PNG_COLOURS = 64
"""With a palette the picture is a quarter of the size, about 40 kB (`email.md` §4), and looks the same."""

KEPT_PICTURES = 64
"""Receipt, turn and reminder of one position mostly show the same board; painting it is nine tenths of their cost.
About 6 MB for each process."""


def svg(match: Match, view: Any, names: Sequence[str], asked: Asked | None) -> str:
    """The board that this view shows, as an SVG element; `asked` as in `games.contract.Words.draw`."""
    picture = match.layout.layout(view, names, asked)
    return render_to_string(f"games/{match.game}/board.svg", {"board": picture})


def png(match: Match, view: Any, names: Sequence[str], asked: Asked | None) -> bytes:
    """The same as a picture for mails, `PNG_WIDTH` pixels wide."""
    return _paint(svg(match, view, names, asked))


@lru_cache(maxsize=KEPT_PICTURES)
def _paint(drawing: str) -> bytes:
    """The drawing painted; it alone says what the picture shows, so no reader gets one that was meant for another."""
    full = resvg_py.svg_to_bytes(
        svg_string=drawing,
        width=PNG_WIDTH,
        skip_system_fonts=True,
        font_files=[str(font) for font in sorted(FONTS.glob("*.ttf"))],
    )
    picture = Image.open(BytesIO(bytes(full)))
    small = picture.quantize(PNG_COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    file = BytesIO()
    small.save(
        file, "PNG", compress_level=7
    )  # the highest, 9, takes five times as long and saves a twentieth
    return file.getvalue()


forget_pictures = _paint.cache_clear
"""Have all of them painted anew; for who measures."""
