"""How much room a text takes on a board picture, so that names are cut only where there is none.

Widths are those of DejaVu Sans Bold, in which mails show pictures; the fonts of browsers are narrower.
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

_WIDTH_OF = {
    letter: width
    for width, letters in (
        (0.37, " ijlIJ|\\/'’"),
        (0.46, ",.:;·-()[]!f`"),
        (0.52, 'rt"*_'),
        (0.62, "csxzL"),
        (0.94, "wQOØÖÔ&"),
        (1.06, "mM@%…æŒœÆ"),
        (1.1, "W"),
    )
    for letter in letters
}
_SMALL, _CAPITAL, _WIDE = 0.72, 0.84, 1.0


def measure(text: str, size: float) -> float:
    """Return the width of the text at this font size, rather too much than too little.

    >>> measure("Ana", 10) < measure("WWW", 10)
    True
    """
    return size * sum([_measure(letter) for letter in text])


def _measure(letter: str) -> float:
    if combining(letter):
        return 0
    if east_asian_width(letter) in "WF":
        return _WIDE
    return _WIDTH_OF.get(letter, _SMALL if letter.islower() or letter.isdecimal() else _CAPITAL)


def shorten(name: str, width: float, size: float) -> str:
    """Cut the name to this width; a last word of one or two letters stays, for by that the bots of a table differ.

    >>> shorten("Ana", 100, 16)
    'Ana'
    >>> shorten("Maximilian the Third B", 150, 16)
    'Maximilian… B'
    """
    if measure(name, size) <= width:
        return name
    last = name.rpartition(" ")[2]
    end = f"… {last}" if len(last) <= 2 else "…"
    left = width - measure(end, size)
    kept = ""
    for letter in name:
        left -= size * _measure(letter)
        if left < 0:
            break
        kept += letter
    return kept.rstrip() + end
