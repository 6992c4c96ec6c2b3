"""The rules of a game as Markdown: `RULES.md` beside the game, or `RULES.<language>.md`."""

from __future__ import annotations

from importlib.resources import files

from django.conf import settings
from django.utils.translation import get_language


def read_rules(slug: str) -> str:
    """Read the rules of a game as Markdown in the active language, or in English if they are not translated."""
    folder = files(f"games.{slug}")
    language = (get_language() or settings.LANGUAGE_CODE).partition("-")[0]
    translated = folder.joinpath(f"RULES.{language}.md")
    return (translated if translated.is_file() else folder.joinpath("RULES.md")).read_text(encoding="utf-8")
