"""The options of a match's game in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils import translation
from django.utils.translation import gettext_noop

from games.contract import Option
from gemserver.lib.text.plain import colon
from gemserver.matches import replay
from gemserver.matches.models import Match

OPTION_VALUES: Mapping[str, str] = {
    "yes": gettext_noop("yes"),
    "no": gettext_noop("no"),
    "table": gettext_noop("one after the other"),
    "sealed": gettext_noop("all at once, sealed"),
}
"""Values that options of several games have."""


def option_label(option: Option) -> str:
    """The option's description as a label, in the active language."""
    return translation.gettext(option.description).rstrip(".")


def value_words(value: str) -> str:
    """An option's value in words, in the active language: ours, those of the game's package, or the bare value."""
    return translation.gettext(OPTION_VALUES.get(value, value))


def say_options(match: Match) -> Sequence[str]:
    """A line for each option, in the active language: its description, and the value chosen for this match."""
    chosen = replay.options(match)
    return [
        f"{colon(option_label(option))} {value_words(chosen[option.name])}"
        for option in match.rules.meta.options
    ]
