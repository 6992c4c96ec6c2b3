"""Jewellers' components as data: whoever owns the box can correct this table without touching a rule.

Reconstruction: the game plan was only a picture in the rule sheet. Certain are the values 3 to 7, that a
bigger gem is dearer, and that the medium pearl is worth 5 (RULES.md, paragraph 4).
"""

from __future__ import annotations

CARDS = (2, 3, 4, 5, 6, 7, 8, 9, 10)
"""Every seat owns one card of each of these values."""

SIZES = ("small", "medium", "large")
COLOURS = ("R", "E", "P", "S", "L")
COLOUR_NAMES = {"R": "ruby", "E": "emerald", "P": "pearl", "S": "sapphire", "L": "lily"}

GAME_PLAN = {
    #  R    E    P    S    L
    3: ("-", "-", "-", "s", "-"),
    4: ("s", "s", "s", "m", "-"),
    5: ("m", "m", "m", "l", "s"),
    6: ("l", "l", "l", "-", "m"),
    7: ("-", "-", "-", "-", "l"),
}
"""The rows are values, the columns colours; a letter is the size of the gem in that square."""

COMBINATIONS = (
    (("Es", "Em"), 1),
    (("Ss", "Sm"), 2),
    (("Rm", "Rl"), 3),
    (("Ls", "Lm", "Ll"), 5),
    (("Rs", "Es", "Ps"), 6),
)
"""Sets of gems that bring an owner of them all further points."""

SILVER_POINTS = (1, 2, 3)
"""The points of the small, the medium and the large silver piece; the tower is taken down in this order."""
ALL_SILVER = 4
"""The extra points for the owner of all silver pieces."""

VALUES = tuple(GAME_PLAN)
GEM_VALUE = {
    colour + size: value
    for value, row in GAME_PLAN.items()
    for colour, size in zip(COLOURS, row, strict=True)
    if size != "-"
}
"""Gem codes (`Pm`: the medium pearl) and their values."""

GEMS = tuple(colour + size[0] for size in SIZES for colour in COLOURS)
"""Canonical order of gems: by size, then by the columns of the plan."""

JUNCTIONS = tuple(colour + str(value) for colour in COLOURS[:-1] for value in VALUES[:-1])
"""The inner corners of the plan: left column and lower value of the four squares that meet there."""


def _squares_around(junction: str) -> frozenset[str]:
    column, row = COLOURS.index(junction[0]), VALUES.index(int(junction[1:]))
    columns, values = COLOURS[column : column + 2], VALUES[row : row + 2]
    return frozenset(gem for gem, value in GEM_VALUE.items() if gem[0] in columns and value in values)


TOUCHED = {junction: _squares_around(junction) for junction in JUNCTIONS}
"""The gems whose squares touch each junction."""
