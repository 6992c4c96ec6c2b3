"""Numbers that browsers send back to pages: of a row, a seat, a move."""

from __future__ import annotations

MOST_DIGITS = 18
"""No column holds a longer number, and Python reads none of thousands of digits."""


def read_number(text: str) -> int | None:
    """The whole number in a field or an address; None for any other text, and for a number that no column holds.

    >>> read_number("17"), read_number("-1"), read_number("1" * 19)
    (17, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None
