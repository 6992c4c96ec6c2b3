"""Fractions as people write them."""

from __future__ import annotations

from fractions import Fraction

_VULGAR = {
    Fraction(1, 2): "½",
    Fraction(1, 3): "⅓",
    Fraction(2, 3): "⅔",
    Fraction(1, 4): "¼",
    Fraction(3, 4): "¾",
    Fraction(1, 5): "⅕",
    Fraction(2, 5): "⅖",
    Fraction(3, 5): "⅗",
    Fraction(4, 5): "⅘",
}


def show_fraction(number: Fraction) -> str:
    """A number exactly, as people write it.

    >>> [show_fraction(Fraction(text)) for text in ("27/2", "0", "-1/2", "15/7")]
    ['13½', '0', '−½', '2 1/7']
    """
    whole, rest = divmod(abs(number), 1)
    sign = "−" if number < 0 else ""
    if not rest:
        return f"{sign}{whole}"
    part = _VULGAR.get(rest) or f"{' ' if whole else ''}{rest}"
    return f"{sign}{whole or ''}{part}"
