"""The rules of a game as Markdown: `RULES.md` beside the game, or `RULES.<language>.md`."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import get_language

from games import registry


def read_rules(slug: str) -> str:
    """Read the rules of a game as Markdown in the active language, or in English if they are not translated."""
    language = (get_language() or settings.LANGUAGE_CODE).partition("-")[0]
    return registry.GAMES[slug].read_rules(language)
