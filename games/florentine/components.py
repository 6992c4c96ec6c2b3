"""Florentine Domino's components as data: whoever owns the box can correct this table without touching a rule.

Reconstruction: the faces of the 48 cards were only pictures in the rule sheet. Certain are their number, the
four colours and the four kinds of gem (RULES.md, paragraphs 1 to 5).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from games.florentine.state import Cards

COLOURS = "rbgo"
"""The letters of red, blue, green and ochre, in the order of the codes and of the seats."""
COLOUR_NAMES = {"r": "red", "b": "blue", "g": "green", "o": "ochre"}
GEM_NAMES = {"r": "jade", "b": "amber", "g": "ruby", "o": "lapis lazuli"}
"""The kind of gem that lies on each colour."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card: the colours of its four triangles clockwise, and the colour on which its gem lies.

    The code begins where the word is smallest in the order of `COLOURS`. A gem lies where two neighbouring
    triangles have its colour.
    """

    code: str
    gem: str | None = None


CARDS = (
    Card("rrbb"),
    Card("rrbg", gem="r"),
    Card("rrbo", gem="r"),
    Card("rrgb", gem="r"),
    Card("rrgg"),
    Card("rrgo", gem="r"),
    Card("rrob", gem="r"),
    Card("rrog", gem="r"),
    Card("rroo"),
    Card("rbrb"),
    Card("rbrg"),
    Card("rbro"),
    Card("rbbg", gem="b"),
    Card("rbbo", gem="b"),
    Card("rbgb"),
    Card("rbgg", gem="g"),
    Card("rbob"),
    Card("rboo", gem="o"),
    Card("rgrg"),
    Card("rgro"),
    Card("rgbb", gem="b"),
    Card("rgbg"),
    Card("rggb", gem="g"),
    Card("rggo", gem="g"),
    Card("rgog"),
    Card("rgoo", gem="o"),
    Card("roro"),
    Card("robb", gem="b"),
    Card("robo"),
    Card("rogg", gem="g"),
    Card("rogo"),
    Card("roob", gem="o"),
    Card("roog", gem="o"),
    Card("bbgg"),
    Card("bbgo", gem="b"),
    Card("bbog", gem="b"),
    Card("bboo"),
    Card("bgbg"),
    Card("bgbo"),
    Card("bggo", gem="g"),
    Card("bgog"),
    Card("bgoo", gem="o"),
    Card("bobo"),
    Card("bogg", gem="g"),
    Card("bogo"),
    Card("boog", gem="o"),
    Card("ggoo"),
    Card("gogo"),
)

CARD_CODES = tuple(card.code for card in CARDS)
GEM = {card.code: card.gem for card in CARDS}
ORDER = {code: place for place, code in enumerate(CARD_CODES)}
"""Canonical order of the cards."""

HAND = 4
POOL = {2: 8, 3: 4, 4: 0}
"""Cards laid open aside at the start, by number of seats."""


def sort_cards(cards: Iterable[str]) -> Cards:
    """The cards in canonical order."""
    return tuple(sorted(cards, key=ORDER.__getitem__))
