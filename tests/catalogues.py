"""The catalogues of sentences: the server's, and those of the games, which a terminal reads without any server."""

from __future__ import annotations

from pathlib import Path

import polib
from django.conf import settings

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
FOLDERS = (Path("locale"), Path("games", "locale"))
CATALOGUES = [folder / language / "LC_MESSAGES" / "django.po" for folder in FOLDERS for language in LANGUAGES]
"""Paths in the repository."""


def list_entries(language: str) -> list[polib.POEntry]:
    """All sentences with their translations into this language."""
    return [
        entry
        for path in CATALOGUES
        if language in path.parts
        for entry in polib.pofile(str(settings.BASE_DIR / path))
    ]
