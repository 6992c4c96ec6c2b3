"""Messages as people read them: the names of contests, days and instants in their parameters put into words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime
from types import MappingProxyType

from django.utils import timezone
from django.utils.formats import date_format

from games.contract import Message
from gemserver.lib.text.blanks import translate_blanks
from gemserver.lib.text.translator import translator
from gemserver.matches.words.contests import name_contest


def words_of(message: Message) -> str:
    """The message in the active language, its contests, days and instants in words; no line ends behind a `§`."""
    shown = {
        name: _SHOWN[name](str(value)) if name in _SHOWN else value for name, value in message.params.items()
    }
    shown |= {name: words_of(word) for name, word in message.words.items()}
    return replace(message, params=shown, words={}).text(translator()).replace("§ ", "§\u00a0")


def show_day(day: date) -> str:
    """A day in the active language."""
    return date_format(day, "j M Y")


def _show_instant(text: str) -> str:
    """An instant in the active language and zone."""
    return date_format(timezone.localtime(datetime.fromisoformat(text)), "D j M Y H:i T")


def _show_day(text: str) -> str:
    return show_day(date.fromisoformat(text))


def _show_day_of_puzzle(text: str) -> str:
    """A day; days of a game are numbers, and stay so."""
    return text if text.isdecimal() else _show_day(text)


_SHOWN: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "context": name_contest,
        "day": _show_day_of_puzzle,
        "first_day": _show_day,
        "last_day": _show_day,
        "latest": _show_instant,
        "usage": translate_blanks,
    }
)
"""How to show a parameter, by its name."""
