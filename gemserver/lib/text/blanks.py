"""Words in capitals that stand for what a player puts there, as in `rename NAME`; the commands stay English."""

from __future__ import annotations

import re

from django.utils.translation import gettext

_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")


def translate_blanks(commands: str) -> str:
    """The commands with their words in capitals in the active language: `rename NOM`."""
    words = {
        "ADDRESS": gettext("ADDRESS"),
        "CODE": gettext("CODE"),
        "FROM": gettext("FROM"),
        "GAME": gettext("GAME"),
        "MOVE": gettext("MOVE"),
        "NAME": gettext("NAME"),
        "PLAYER": gettext("PLAYER"),
        "TO": gettext("TO"),
        "WORDS": gettext("WORDS"),
    }
    return _CAPITALS.sub(lambda found: words[found[0]], commands)
