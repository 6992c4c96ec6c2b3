"""The language of a terminal, and its sentences.

What is typed stays English in every language: moves, commands, records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from games.contract import Game, GameError, Translator
from games.registry import GAMES

_HOUSE = files("games")
_VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""The environment's, the first that is set counts, as for GNU gettext."""

_DECIMAL_COMMA = {"de", "fr"}


class _Sentences(GNUTranslations):
    """Chooses by the size of a number: French says −4 *points*, though −4 is not above 1."""

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return super().ngettext(singular, plural, abs(number))


def list_languages() -> list[str]:
    """The languages that the house speaks, or a game that was admitted.

    >>> list_languages()
    ['de', 'en', 'fr']
    """
    folders = [_HOUSE, *(game.folder for game in GAMES.values())]
    return sorted({"en"}.union(*map(_list_catalogues, folders)))


def find_language(environment: Mapping[str, str]) -> str:
    """The first language that the environment asks for and the house speaks, else English.

    >>> find_language({"LANG": "de_AT.UTF-8"})
    'de'
    >>> find_language({"LANGUAGE": "nl:fr", "LANG": "de_AT.UTF-8"})
    'fr'
    >>> find_language({"LC_ALL": "C", "LANG": "de_AT.UTF-8"})
    'en'
    """
    asked = next(filter(None, map(environment.get, _VARIABLES)), "")
    codes = [re.split(r"[_.@-]", name)[0] for name in asked.split(":")]
    spoken = {"en", *_list_catalogues(_HOUSE)}
    return next((code for code in codes if code in spoken), "en")


def find_house_catalogue(language: str) -> Path | None:
    """The compiled sentences of the house in this language, None if it does not speak it."""
    file = Path(str(_find_catalogue(_HOUSE, language)))
    return file if file.is_file() else None


def read_translator(language: str, game: Game | None = None) -> Translator:
    """The sentences of the house in this language, then those that the game's own package brings; else English.

    >>> read_translator("de").gettext("You pass.")
    'Du passt.'
    >>> read_translator("nl").gettext("You pass.")
    'You pass.'
    """
    sentences = _read_sentences(_HOUSE, language)
    if game is not None:
        sentences.add_fallback(_read_sentences(game.folder, language))
    return sentences


def write_tenths(number: float, language: str) -> str:
    """The number with one decimal, as this language writes it.

    >>> write_tenths(7.06, "de")
    '7,1'
    """
    written = f"{number:.1f}"
    return written.replace(".", ",") if language in _DECIMAL_COMMA else written


def tell_refusal(refusal: GameError, tr: Translator) -> str:
    """The refusal with its kind and code, which stay the same in every language: `illegal (too-low): …`."""
    return f"{refusal.kind} ({refusal.code}): {refusal.message.text(tr)}"


def _read_sentences(folder: Traversable, language: str) -> NullTranslations:
    file = _find_catalogue(folder, language)
    if not language.isalpha() or not file.is_file():
        return NullTranslations()
    with file.open("rb") as opened:
        return _Sentences(opened)


def _list_catalogues(folder: Traversable) -> set[str]:
    """The languages into which the sentences of this package are translated."""
    if not folder.joinpath("locale").is_dir():
        return set()
    names = [found.name for found in folder.joinpath("locale").iterdir()]
    return {name for name in names if _find_catalogue(folder, name).is_file()}


def _find_catalogue(folder: Traversable, language: str) -> Traversable:
    return folder.joinpath("locale", language, "LC_MESSAGES", "django.mo")
