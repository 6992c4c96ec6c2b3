"""Reads days as people write them: `from 3 to 10 August`, `bis Montag`, `la semaine prochaine`.

The words stand in `phrases/LANGUAGE.txt` (`short_words`): what stands before a first day `(from day)`, between two `(to
day)`, before a last `(until day)`, and around one `(of day)`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from django.utils import translation
from django.utils.dates import MONTHS, WEEKDAYS

from games.phrases.phrasebook import LANGUAGES, fold_word, fold_words
from gemserver.mailgate.lines.short_words import listed

MOST_WORDS = 40
_LONGEST = 6
"""Words of a phrase."""
_SHORTEST_MONTH = 3
"""Letters."""
_TOKEN = re.compile(r"\d{4}-\d\d-\d\d|\d{1,4}|[^\W\d_]+|[./–-]")
_ORDINAL = frozenset((".", "st", "nd", "rd", "th", "er", "e"))
_CHRISTMAS_EVE = 24


@dataclass(frozen=True, slots=True)
class Days:
    """A first and a last day."""

    first: date
    last: date

    def __str__(self) -> str:
        """As commands take them: `2026-08-03 2026-08-10`."""
        return f"{self.first.isoformat()} {self.last.isoformat()}"


def take_days(text: str, today: date) -> tuple[str, Days | None]:
    """Return a text without the days that it names first, and these; None if it names none.

    >>> text, days = take_days("I'm away from 3 to 10 August", date(2026, 3, 6))
    >>> text, str(days)
    ("I'm away  ", '2026-08-03 2026-08-10')
    >>> str(take_days("bis Montag", date(2026, 3, 6))[1]), take_days("away 3", date(2026, 3, 6))[1]
    ('2026-03-06 2026-03-09', None)
    """
    found = list(_TOKEN.finditer(text))[:MOST_WORDS]
    reader = _Reader([fold_word(token[0]) for token in found], today)
    for place, token in enumerate(found):
        try:
            end, days = reader.read_days(place)
        except (_NoDayError, ValueError):
            continue
        return f"{text[: token.start()]} {text[found[end - 1].end() :]}", days
    return text, None


class _NoDayError(Exception):
    """No day stands here."""


@dataclass(frozen=True, slots=True)
class _Day:
    """A day as it is written; `month` and `year` may be left out."""

    day: int
    month: int = 0
    year: int = 0

    def next(self, since: date) -> date:
        """The first such day from `since` on. Raises ValueError for a day that no month has."""
        if self.year:
            return date(self.year, self.month, self.day)
        found = date(since.year, self.month, self.day)
        return found if found >= since else date(since.year + 1, self.month, self.day)


@dataclass(frozen=True, slots=True)
class _Reader:
    words: list[str]
    today: date

    def read_days(self, at: int) -> tuple[int, Days]:
        """The days that are named here, and where the words for them end. Raises _NoDayError, or ValueError."""
        for key, days in self._set_days():
            if end := self._phrase_end(at, key):
                return end, days
        if until := self._phrase_end(at, "(until day)"):
            end, until_day = self._read_day(until)
            return end, Days(self.today, self._resolve(until_day, self.today))
        start = self._phrase_end(at, "(from day)") or at
        end, first = self._read_day(start)
        to = end + 1 if self.words[end : end + 1] in (["-"], ["–"]) else self._phrase_end(end, "(to day)")
        if not to:
            return end, Days(self._resolve(first, self.today), self._resolve(first, self.today))
        end, last = self._read_day(to)
        if isinstance(first, _Day) and isinstance(last, _Day) and not first.month:
            first = _Day(first.day, last.month, first.year or last.year)
        begins = self._resolve(first, self.today)
        return end, Days(begins, self._resolve(last, begins))

    def _set_days(self) -> list[tuple[str, Days]]:
        monday = self.today + timedelta(days=7 - self.today.weekday())
        eve = _Day(_CHRISTMAS_EVE, 12).next(self.today)
        christmas = eve, eve + timedelta(days=2)
        return [
            ("(next week)", Days(monday, monday + timedelta(days=6))),
            ("(for a week)", Days(self.today, self.today + timedelta(days=6))),
            ("(Christmas)", Days(*christmas)),
        ]

    @staticmethod
    def _resolve(day: date | _Day, since: date) -> date:
        """The first such day from `since` on. Raises _NoDayError for one that is before, by its year or by far."""
        if isinstance(day, date):
            found = day if day >= since else day + timedelta(days=7)
        elif day.month:
            found = day.next(since)
        else:
            raise _NoDayError
        if found < since:
            raise _NoDayError
        return found

    def _read_day(self, at: int) -> tuple[int, date | _Day]:
        """One day, and where the words for it end. Raises _NoDayError, or ValueError."""
        at = self._phrase_end(at, "(of day)") or at
        for key, days in (("(today)", 0), ("(tomorrow)", 1)):
            if end := self._phrase_end(at, key):
                return end, self.today + timedelta(days=days)
        word = self._word(at)
        if word in _weekdays():
            ahead = (_weekdays()[word] - self.today.weekday() - 1) % 7 + 1
            return at + 1, self.today + timedelta(days=ahead)
        if len(word) == len("2026-08-03") and word[0].isdecimal():
            written = date.fromisoformat(word)
            return at + 1, _Day(written.day, written.month, written.year)
        if month := _month(word):
            return self._with_year(at + 2, _Day(self._number(at + 1), month))
        return self._read_numbered(at)

    def _read_numbered(self, at: int) -> tuple[int, _Day]:
        day, end = self._number(at), at + 1
        if self._word(end) in (".", "/") and self._word(end + 1).isdecimal():
            month = int(self._word(end + 1))
            end += 3 if self._word(end + 2) in (".", "/") else 2
            return self._with_year(end, _Day(day, month))
        end += self._word(end) in _ORDINAL
        end = self._phrase_end(end, "(of day)") or end
        if month := _month(self._word(end)):
            return self._with_year(end + 1, _Day(day, month))
        return end, _Day(day)

    def _with_year(self, at: int, day: _Day) -> tuple[int, _Day]:
        at += self._word(at) in _ORDINAL
        year = self._word(at)
        return (
            (at + 1, _Day(day.day, day.month, int(year))) if re.fullmatch("20[0-9]{2}", year) else (at, day)
        )

    def _number(self, at: int) -> int:
        if not self._word(at).isdecimal():
            raise _NoDayError
        return int(self._word(at))

    def _word(self, at: int) -> str:
        return self.words[at] if at < len(self.words) else ""

    def _phrase_end(self, at: int, key: str) -> int:
        """The end of the longest phrase of this kind that stands here; 0 if there is none."""
        ends = range(min(len(self.words), at + _LONGEST), at, -1)
        return next((end for end in ends if " ".join(self.words[at:end]) in listed(key)), 0)


@lru_cache(maxsize=1)
def _months() -> dict[str, int]:
    return {name: month for month, name in _names(MONTHS)}


@lru_cache(maxsize=1)
def _weekdays() -> dict[str, int]:
    return {name: day for day, name in _names(WEEKDAYS)}


def _names(listing: dict[int, str]) -> list[tuple[int, str]]:
    found = []
    for language in LANGUAGES:
        with translation.override(language):
            found += [(number, fold_words(str(name))) for number, name in listing.items()]
    return found


@lru_cache(maxsize=200)
def _month(word: str) -> int:
    """The month of this name, or of one that begins so; 0 if it may be none or several."""
    if len(word) < _SHORTEST_MONTH:
        return 0
    meant = {month for name, month in _months().items() if name.startswith(word)}
    return meant.pop() if len(meant) == 1 else 0
