"""Gems, sizes, colours and silver in the reader's language."""

from __future__ import annotations

from games.contract import Translator


def name_size(size: str, tr: Translator) -> str:
    """Name a size: `small` for `s`."""
    return {"small": tr.gettext("small"), "medium": tr.gettext("medium"), "large": tr.gettext("large")}[size]


def name_colour(colour: str, tr: Translator) -> str:
    """Name a colour: `ruby` for `R`."""
    return {
        "R": tr.gettext("ruby"),
        "E": tr.gettext("emerald"),
        "P": tr.gettext("pearl"),
        "S": tr.gettext("sapphire"),
        "L": tr.gettext("lily"),
    }[colour]


def name_gem(gem: str, tr: Translator) -> str:
    """Name a gem: `medium pearl` for `Pm`."""
    return {
        "Rs": tr.gettext("small ruby"),
        "Rm": tr.gettext("medium ruby"),
        "Rl": tr.gettext("large ruby"),
        "Es": tr.gettext("small emerald"),
        "Em": tr.gettext("medium emerald"),
        "El": tr.gettext("large emerald"),
        "Ps": tr.gettext("small pearl"),
        "Pm": tr.gettext("medium pearl"),
        "Pl": tr.gettext("large pearl"),
        "Ss": tr.gettext("small sapphire"),
        "Sm": tr.gettext("medium sapphire"),
        "Sl": tr.gettext("large sapphire"),
        "Ls": tr.gettext("small lily"),
        "Lm": tr.gettext("medium lily"),
        "Ll": tr.gettext("large lily"),
    }[gem]


def name_silver(piece: int, tr: Translator) -> str:
    """Name a silver piece: `small silver piece` for the first."""
    return (
        tr.gettext("small silver piece"),
        tr.gettext("medium silver piece"),
        tr.gettext("large silver piece"),
    )[piece]
