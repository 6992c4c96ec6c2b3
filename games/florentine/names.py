"""Names of Florentine Domino's colours and gems in the reader's language."""

from __future__ import annotations

from games.contract import Translator


def name_colour(colour: str, tr: Translator) -> str:
    """Name a colour by its letter."""
    return {
        "r": tr.gettext("red"),
        "b": tr.gettext("blue"),
        "g": tr.gettext("green"),
        "o": tr.gettext("ochre"),
    }[colour]


def name_gem(colour: str, tr: Translator) -> str:
    """Name the kind of gem that lies on this colour."""
    return {
        "r": tr.gettext("jade"),
        "b": tr.gettext("amber"),
        "g": tr.gettext("ruby"),
        "o": tr.gettext("lapis lazuli"),
    }[colour]
