"""What Florentine Domino's colours, gems and directions are called in the reader's language."""

from __future__ import annotations

from games.contract import Translator


def name_colour(colour: str, tr: Translator) -> str:
    """A colour by its letter."""
    return {
        "r": tr.gettext("red"),
        "b": tr.gettext("blue"),
        "g": tr.gettext("green"),
        "o": tr.gettext("ochre"),
    }[colour]


def name_gem(colour: str, tr: Translator) -> str:
    """The kind of gem that lies on this colour."""
    return {
        "r": tr.gettext("jade"),
        "b": tr.gettext("amber"),
        "g": tr.gettext("ruby"),
        "o": tr.gettext("lapis lazuli"),
    }[colour]
