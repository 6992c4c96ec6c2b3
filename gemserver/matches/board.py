"""The board as a picture: SVG for pages, PNG for mails, both from the `templates/board.svg` of its game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import translation

from games.contract import Asked
from gemserver.matches import game_templates
from gemserver.matches.models import Match

if TYPE_CHECKING:
    from jinja2 import Environment

PNG_WIDTH = 720
"""Pixels: one and a half for each unit of a drawing, so that edges at even coordinates are sharp."""
PNG_COLOURS = 128
"""With a palette the file is a quarter of the size, about 60 kB (mail-requirements.md Q4), and looks the same.
With 64 colours an inactive sapphire and an inactive amethyst look alike."""

KEPT_PICTURES = 64
"""Receipt, turn mail and reminder of one position mostly show the same board; painting it is half of their cost.
About 3 MB for each process."""


def svg(match: Match, view: Any, names: Sequence[str], asked: Asked | None) -> str:
    """Draw the board of this view as an SVG element; `asked` as in `games.contract.Words.draw`."""
    return draw(match.game, match.layout.layout(view, names, asked))


def draw(game: str, layout: Any) -> str:
    """Draw the items of the game's `layout`, in the active language."""
    return _templates().get_template(f"games/{game}/board.svg").render(board=layout)


@lru_cache(maxsize=1)
def _templates() -> Environment:
    """Drawings are Jinja templates, because Jinja compiles them: Django's take five times as long."""
    # Imported here, so that a process that draws nothing does without.
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader(
            [FileSystemLoader(settings.BASE_DIR / "templates"), FunctionLoader(game_templates.read)]
        ),
        autoescape=True,
        auto_reload=False,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
    )
    environment.install_gettext_translations(translation, newstyle=True)  # type: ignore[attr-defined]
    return environment


def png(match: Match, view: Any, names: Sequence[str], asked: Asked | None) -> bytes:
    """Like `svg`, as a PNG for mails, `PNG_WIDTH` pixels wide."""
    return _paint(svg(match, view, names, asked))


@lru_cache(maxsize=KEPT_PICTURES)
def _paint(drawing: str) -> bytes:
    """Paint the drawing. The drawing is the whole cache key, so no reader gets a picture meant for another."""
    # Only workers paint: Pillow and thorvg are no use to a process that draws pages.
    from gemserver.matches.painting import paint

    return paint(drawing, width=PNG_WIDTH, colours=PNG_COLOURS)


forget_pictures = _paint.cache_clear
"""Empty the cache of pictures; for measurements."""
