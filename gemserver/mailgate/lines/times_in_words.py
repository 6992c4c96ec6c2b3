"""Reads spans, hours of the day and time zones as people write them: `in three hours`, `22 to 7`, `Lisbon`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from zoneinfo import available_timezones

from games.phrases.phrasebook import NUMBERS, fold_word, fold_words
from gemserver.mailgate.lines.short_words import listed

_SPAN = re.compile(
    rf"\b(?:in|dans) (\d{{1,3}}|{'|'.join(sorted(word for word in NUMBERS if word.isalpha()))}) ?"
    r"(?:(h|hours?|stunden?|heures?|std)|(d|days?|tag|tagen|jours?)|(min|minutes?|minuten))\b",
    re.IGNORECASE,
)
_HOUR = re.compile(r"\b(\d{1,2})(?:[:.h](\d\d))? ?(am|pm|uhr|h|heures)?(?:$|(?=[\s,.!?-]))", re.IGNORECASE)
_CONTINENTS = frozenset(
    (
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Europe",
        "Indian",
        "Pacific",
    )
)
_BETWEEN_HOURS = frozenset(("and", "to", "und", "bis", "et", "a", "from", "von", "de", "-"))


def take_span(text: str) -> tuple[str, str]:
    """The text without the span that it names, and this as `snooze` takes it."""
    found = _SPAN.search(text)
    if found is None:
        return text, ""
    unit = "h" if found[2] else "d" if found[3] else "m"
    number = NUMBERS.get(fold_word(found[1]), found[1])
    return text[: found.start()] + text[found.end() :], f"{number}{unit}"


def take_hours(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without the two hours that it names, and these; without any unless there are just two."""
    found = list(_HOUR.finditer(text))[:3]
    if len(found) != 2:
        return text, ()
    between = text[found[0].end() : found[1].start()]
    if not set(fold_words(between).split()) <= _BETWEEN_HOURS:
        return text, ()
    return text[: found[0].start()] + text[found[1].end() :], tuple(map(_hour, found))


def take_zone(text: str) -> tuple[str, str]:
    """The text without the zone, or the city of one, that a line about a zone names; and the zone's name."""
    folded = f" {fold_words(text)} "
    if not any(f" {phrase} " in folded for phrase in listed("(zone)")):
        return text, ""
    words = text.split()
    for size in (1, 2, 3):
        for start in range(len(words) - size + 1):
            named = "_".join(words[start : start + size]).strip(".,!;:()").lower()
            if zone := _zones().get(named):
                return " ".join([*words[:start], *words[start + size :]]), zone
    return text, ""


@lru_cache(maxsize=1)
def _zones() -> Mapping[str, str]:
    """Zones by their names in lower case, and by their cities, of those that lie in one zone only."""
    names = [name for name in available_timezones() if name.partition("/")[0] in _CONTINENTS]
    by_city: dict[str, list[str]] = {}
    for name in names:
        by_city.setdefault(name.rpartition("/")[2].lower(), []).append(name)
    cities = {city: found[0] for city, found in by_city.items() if len(found) == 1}
    return {"utc": "UTC", **cities, **{name.lower(): name for name in names}}


def _hour(found: re.Match[str]) -> str:
    hour = int(found[1]) % 24
    half = (found[3] or "").lower()
    if half in ("am", "pm"):
        hour = hour % 12 + (12 if half == "pm" else 0)
    return f"{hour:02}:{found[2]}" if found[2] else f"{hour:02}"
