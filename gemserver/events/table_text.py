"""The table of a division as aligned text, and as rows of an HTML table, for mails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.events.arithmetic.tables import Row
from gemserver.events.models import Entry
from gemserver.events.standings import Standings
from gemserver.events.words import TIE_BREAKS, name_of, say_bound, show_value
from gemserver.lib.text.fractions import show_fraction

COLUMNS = 78
_INDENT = "  "
_GAP = "  "
_LONGEST_NAME = 24
_SHORTEST_NAME = 16
"""With its mark, such as (you)."""


@dataclass(frozen=True, slots=True)
class TableOfWords:
    """Heads and lines of a table, as words; the second column is the name, what follows `fixed` may be left out."""

    heads: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    fixed: int

    def as_text(self) -> str:
        """The table in aligned columns, none wider than a mail; the last tie-breaks go if there is no room for them."""
        rows = [self.heads, *self.lines]
        longest = min(_LONGEST_NAME, max(len(row[1]) for row in rows))
        shown = len(self.heads)
        while _width(rows, shown, longest) > COLUMNS and longest > _SHORTEST_NAME:
            longest -= 1
        while _width(rows, shown, longest) > COLUMNS and shown > self.fixed:
            shown -= 1
        widths = _widths(rows, shown, longest)
        return "\n".join(_lay_out(row[:shown], widths) for row in rows)


def write_table(standings: Standings, reader: User | None = None) -> TableOfWords:
    """The table in words; the reader is marked in it."""
    has_outcome = any(entry.outcome not in _PLAIN for entry in standings.entries.values())
    has_bounds = bool(standings.bounds) and standings.open_fixtures > 0
    breaks = [
        (index, tie_break)
        for index, tie_break in enumerate(standings.tie_breaks)
        if any(row.values[index] for row in standings.rows)
    ]
    heads = [gettext("Place"), gettext("Name"), gettext("Points"), gettext("Played")]
    heads += [gettext("Possible")] if has_bounds else []
    heads += [gettext("Outcome")] if has_outcome else []
    fixed = len(heads)
    heads += [gettext(TIE_BREAKS[tie_break][0]) for _, tie_break in breaks]
    lines = []
    for row in standings.rows:
        entry = standings.entries[row.player]
        cells = [str(row.place), _say_name(entry, reader), show_fraction(row.points), str(row.played)]
        cells += [_say_bound(standings, row)] if has_bounds else []
        cells += [_say_outcome(entry)] if has_outcome else []
        cells += [show_value(tie_break, row.values[index]) for index, tie_break in breaks]
        lines.append(tuple(cells))
    return TableOfWords(tuple(heads), tuple(lines), fixed)


_PLAIN = frozenset({"", Entry.Outcome.STAYS})


def _say_name(entry: Entry, reader: User | None) -> str:
    name = name_of(entry)
    if reader is not None and entry.player_id == reader.pk:
        return gettext("%(name)s (you)") % {"name": name}
    if entry.is_gone:
        return gettext("%(name)s (left)") % {"name": name}
    return name


def _say_bound(standings: Standings, row: Row) -> str:
    bound = standings.bounds.get(row.player)
    return say_bound(bound) if bound else ""


def _say_outcome(entry: Entry) -> str:
    return "" if entry.outcome in _PLAIN else str(entry.get_outcome_display())


def _widths(rows: Sequence[tuple[str, ...]], shown: int, longest: int) -> list[int]:
    return [longest if column == 1 else max(len(row[column]) for row in rows) for column in range(shown)]


def _width(rows: Sequence[tuple[str, ...]], shown: int, longest: int) -> int:
    return len(_INDENT) + sum(_widths(rows, shown, longest)) + len(_GAP) * (shown - 1)


def _lay_out(cells: Sequence[str], widths: Sequence[int]) -> str:
    placed = [
        _cut(cell, width).ljust(width) if column == 1 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return (_INDENT + _GAP.join(placed)).rstrip()


def _cut(name: str, width: int) -> str:
    """The name as far as there is room, with the whole of its mark."""
    if len(name) <= width:
        return name
    bare, bracket, mark = name.rpartition(" (")
    if not bare:
        return f"{name[: width - 1]}…"
    return _cut(bare, width - len(bracket + mark)) + bracket + mark
