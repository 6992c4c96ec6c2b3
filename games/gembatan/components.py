"""Gembatan's components as data: whoever owns the box can correct this table without touching a rule.

Reconstruction: the sheet's pictures of the 60 tiles and 60 gems are missing, and with them the colours and how
many there are of each (RULES.md, paragraph 4).
"""

from __future__ import annotations

FLAT = "-"
COLOUR_NAMES = {
    "R": "red",
    "B": "blue",
    "G": "green",
    "Y": "yellow",
    "P": "purple",
    "O": "orange",
}
COLOURS = tuple(COLOUR_NAMES)
PAIRS = tuple(one + other for place, one in enumerate(COLOURS) for other in COLOURS[place + 1 :])
"""Every pair of different colours; a gem's code is its pair."""
CODE_OF_PAIR = {pair: pair for pair in PAIRS} | {pair[::-1]: pair for pair in PAIRS}
"""The gem that two different colours, in either order, name."""

TEES = (
    *("RBR-", "GRG-", "RYR-", "PRP-", "ROR-"),
    *("BGB-", "YBY-", "BPB-", "OBO-"),
    *("GYG-", "PGP-", "GOG-"),
    *("YPY-", "OYO-"),
    "POP-",
)
"""The tee of each pair, in the order of `PAIRS`."""

KINDS = ("corner", "straight", "tee", "cross")
TILE_CODES = {
    (kind, pair): code
    for pair, tee in zip(PAIRS, TEES, strict=True)
    for kind, code in zip(KINDS, (f"{pair}--", f"{pair[0]}-{pair[1]}-", tee, f"{pair}{pair}"), strict=True)
}
"""The tile of each kind and pair; its code has the colours of its sides, clockwise, `-` where it is flat."""

TILES = tuple(TILE_CODES.values())
GEM_COPIES = 4
GEMS = tuple(pair for pair in PAIRS for _ in range(GEM_COPIES))

HAND = 4
"""Gems, and also tiles, that a seat draws up to."""
SHORTEST_LINE = 3
GEMBATAN_GEMS = 4
GEMBATAN_POINTS = 4
IDLE_ROUNDS = 3
"""Whole rounds without a play after which the match ends in any case."""

SIDES = ("N", "E", "S", "W")


def _turn(code: str, quarters: int) -> str:
    """The tile's sides from north clockwise when its first letter is turned by so many quarters."""
    return code[-quarters:] + code[:-quarters] if quarters else code


LAID = {code: {side: _turn(code, quarters) for quarters, side in enumerate(SIDES)} for code in TILES}
"""The sides from north clockwise, by tile and by where its first letter faces."""

FACINGS = {
    code: tuple(
        side
        for quarters, side in enumerate(SIDES)
        if _turn(code, quarters) not in [_turn(code, fewer) for fewer in range(quarters)]
    )
    for code in TILES
}
"""The directions that make a difference: a cross looks the same after half a turn."""

SAME_FACING = {
    code: {
        side: next(facing for facing in FACINGS[code] if LAID[code][facing] == LAID[code][side])
        for side in SIDES
    }
    for code in TILES
}
"""Maps every direction to the one of `FACINGS` that looks the same."""
