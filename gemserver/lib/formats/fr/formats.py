"""French dates: lower case, weekdays in full, for `jeu.` is a game, as in `samedi 21 nov. 2026 18:00`.

The patterns in the templates serve as names here, as in `de/formats.py`.
"""

from __future__ import annotations

DATE_FORMAT = "j N Y"
DATETIME_FORMAT = "j N Y H:i"
TIME_FORMAT = "H:i"


def __getattr__(pattern: str) -> str:
    """The pattern as French writes it; raises AttributeError for one without a day before a month."""
    if "j M" not in pattern:
        raise AttributeError(pattern)
    return pattern.replace("D, ", "l ").replace("D", "l").replace("j M", "j N")
