"""Plain text for people: wrapping to 72 columns, lists, names of seats."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from games.contract import Seat, seat_letter

COLUMNS = 72


def wrap(text: str, indent: str = "") -> str:
    """The paragraph in lines of at most 72 columns; lines after the first begin with `indent`."""
    return "\n".join(textwrap.wrap(text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False))


def list_line(title: str, items: Iterable[str], indent: str = "") -> str:
    """`title item, item, item`, wrapped; further lines stand three columns deeper than the first."""
    text = indent + " ".join([title, ", ".join(items) or "-"])
    return wrap(text, indent + "   ")


def person(names: Sequence[str], seat: Seat) -> str:
    """The player's name with the seat's letter: `Ana (A)`."""
    return f"{names[seat]} ({seat_letter(seat)})"
