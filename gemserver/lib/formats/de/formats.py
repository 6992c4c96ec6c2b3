"""German dates: a full stop follows the number of a day, as in `Sa 21. Nov. 2026 18:00`.

Django asks a language's module for every pattern, and uses the pattern itself where the module has no such name. So the
patterns in the templates serve as names here, and a new one needs no entry.
"""

from __future__ import annotations

DATE_FORMAT = "j. N Y"
DATETIME_FORMAT = "j. N Y H:i"
TIME_FORMAT = "H:i"


def __getattr__(pattern: str) -> str:
    """The pattern as German writes it; raises AttributeError for one without a day before a month."""
    if "j M" not in pattern:
        raise AttributeError(pattern)
    return pattern.replace("j M", "j. N")
