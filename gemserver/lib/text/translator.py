"""The sentences of the active language as one table, for those who look up hundreds for a page or a mail.

Django looks for each in several tables, after asking which language is active: a seventh of the page of a match.
"""

from __future__ import annotations

from functools import lru_cache
from gettext import NullTranslations

from django.utils import translation
from django.utils.translation import trans_real

KEPT = 10_000
"""Sentences of a language; there are some four thousand."""


class Translator:
    """Translates into one language."""

    def __init__(self, catalogue: NullTranslations) -> None:
        self.gettext = lru_cache(maxsize=KEPT)(catalogue.gettext)
        self._ngettext = catalogue.ngettext

    def ngettext(self, singular: str, plural: str, number: int, /) -> str:
        """Choose by the size of the number: French says −4 *points*, though −4 is not above 1."""
        return self._ngettext(singular, plural, abs(number))


def translator() -> Translator:
    """The translator into the language that is active now."""
    language = translation.get_language()
    return _translate_from(trans_real.translation(language)) if language else _UNTRANSLATED


_translate_from = lru_cache(maxsize=32)(Translator)
_UNTRANSLATED = Translator(NullTranslations())
