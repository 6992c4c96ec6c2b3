"""Names the pieces on Gembatan's board picture, for a reader who asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from games.contract import Translator
from games.gembatan.components import TILE_CODES
from games.gembatan.words import name_colour, name_kind
from games.picture import Box, Explanation

if TYPE_CHECKING:
    from games.gembatan.layout import Board, Gem, SeatPanel

TRAYS = Box(8, 22, 330, 20)
TITLE = 32
"""The height of the part of a panel that has the name of the seat."""
KIND_AND_PAIR = {code: known for known, code in TILE_CODES.items()}


def explain(board: Board, tr: Translator) -> Iterator[Explanation]:
    """Explain the trays, the lay-out, and what every seat has."""
    text = tr.gettext(
        "Pieces that nobody knows. After a play everybody draws up to four gems and four tiles from them."
    )
    name = tr.gettext("Trays: {gems} gems, {tiles} tiles").format(
        gems=board.gems_left, tiles=board.tiles_left
    )
    yield Explanation([TRAYS], name, text, 15)
    if board.spaces:
        text = tr.gettext("A tile may be laid here if cutouts meet cutouts and flat sides meet flat ones.")
        boxes = [Box(space.x, space.y, space.size, space.size, can_grow=True) for space in board.spaces]
        yield Explanation(boxes, tr.gettext("Empty cells"), text, 10)
    for tile in board.tiles:
        text = tr.gettext("It lies here for good. Its empty cutouts can still become sockets, or take a gem.")
        if not tile.cutouts:
            text = tr.gettext("It lies here for good. All its cutouts hold gems.")
        yield Explanation([_grown(tile.touch)], _name_tile(tile.code, tr), text, 3)
    for gem in board.gems:
        text = tr.gettext(
            "It lies here for good. In a diagonal line of three or more gems that share a colour each gem is a point,"
            " whenever a gem is added to the line."
        )
        yield Explanation([_grown(gem.box)], _name_gem(gem, tr), text, 21)
    for panel in board.panels:
        yield from _explain_seat(panel, tr)


def _explain_seat(panel: SeatPanel, tr: Translator) -> Iterator[Explanation]:
    name = tr.gettext("Points of {name}: {points}").format(name=panel.name, points=panel.score)
    text = tr.gettext("What the turns have scored, less 1 for each gem in hand.")
    yield Explanation([Box(panel.x, panel.y, panel.width, TITLE)], name, text, 27)
    for gem in panel.gems:
        text = tr.gettext(
            "In hand. It fits a socket whose borders have its two colours. At the end a gem in hand costs a point."
        )
        yield Explanation([gem.touch], _name_gem(gem, tr), text, 3)
    for tile in panel.tiles:
        text = tr.gettext(
            "In hand. It is laid next to the other tiles, with a gem in a socket that it makes."
        )
        yield Explanation([tile.touch], _name_tile(tile.code, tr), text, 9)


def _name_tile(code: str, tr: Translator) -> str:
    """Name a tile with its kind and its colours: `Tile RB--: corner, red and blue`."""
    kind, pair = KIND_AND_PAIR[code]
    return tr.gettext("Tile {code}: {kind}, {one} and {other}").format(
        code=code, kind=name_kind(kind, tr), one=name_colour(pair[0], tr), other=name_colour(pair[1], tr)
    )


def _name_gem(gem: Gem, tr: Translator) -> str:
    return tr.gettext("Gem {code}: {one} and {other}").format(
        code=gem.code, one=name_colour(gem.code[0], tr), other=name_colour(gem.code[1], tr)
    )


def _grown(box: Box) -> Box:
    """The box in the part of the picture that a host may enlarge."""
    return Box(box.x, box.y, box.width, box.height, can_grow=True)
