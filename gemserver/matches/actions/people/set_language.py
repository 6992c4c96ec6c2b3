"""Choose the language of a player's pages and mails."""

from __future__ import annotations

from django.conf import settings

from gemserver.accounts.models import User
from gemserver.matches.refusal import Refused


def set_language(user: User, language: str) -> None:
    """Write to the player in this language (`de`) from now on. Raises Refused(no-such-language)."""
    offered = [code for code, _name in settings.LANGUAGES]
    if language not in offered:
        raise Refused(
            "no-such-language",
            "There is no language {language} here; choose one of {languages}.",
            language=language,
            languages=", ".join(offered),
        )
    user.language = language
    user.save(update_fields=["language"])
