"""A language of the tests' own."""

from __future__ import annotations

import gettext


class Shouting(gettext.NullTranslations):
    """A translation that can be told from the original."""

    def gettext(self, message: str) -> str:
        return message.replace("Waiting for", "EN ATTENTE DE").replace("ruby", "RUBIS")
