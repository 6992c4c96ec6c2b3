"""Names the pieces on Jewellers' board picture, for a reader who asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from games.contract import Translator
from games.jewellers.components import ALL_SILVER, COMBINATIONS, SILVER_POINTS
from games.jewellers.names import name_gem, name_silver
from games.picture import Box, Explanation

if TYPE_CHECKING:
    from games.jewellers.layout import Board, Card, SeatPanel, Square, Tower

TRACK = Box(12, 38, 456, 36)
TITLE, POINTS = Box(12, 0, 268, 50), Box(398, 6, 64, 42)
"""The name of a seat and its points, from the upper left corner of its panel."""
SQUARE = Box(2, 2, 54, 50)
GEM = Box(-18, -15, 36, 44)
"""A gem or silver piece of a seat with the words below it, from the gem's middle."""
SILVER = Box(-18, -26, 36, 44)
TOWER = 20
LINE = 20
"""The height of a line of the list of bonuses."""


def explain(board: Board, tr: Translator) -> Iterator[Explanation]:
    """Explain the track, the game plan, the gem on sale, the bonuses, and what every seat has."""
    text = tr.gettext("The match ends after the last gem; every gem is auctioned once.")
    name = tr.gettext("Track of the {gems} gems").format(gems=board.gems)
    yield Explanation([TRACK], name, text, 18)
    for square in board.squares:
        yield _explain_square(square, board, tr)
    if board.jewel:
        text = tr.gettext("This gem is auctioned now. It is worth {value} points to whoever wins it.")
        name = tr.gettext("On sale: {gem}").format(gem=name_gem(board.jewel.code, tr))
        yield Explanation([board.side], name, text.format(value=board.jewel.value), 7)
    if board.tower:
        yield _explain_tower(board.tower, tr)
    yield from _explain_bonuses(board, tr)
    for panel in board.panels:
        yield from _explain_seat(panel, board, tr)
        yield from _explain_belongings(panel, tr)


def _explain_square(square: Square, board: Board, tr: Translator) -> Explanation:
    box = Box(square.x + SQUARE.x, square.y + SQUARE.y, SQUARE.width, SQUARE.height)
    if square.jewel is None:
        text = tr.gettext("No gem belongs here. The square only lies beside the junctions for the silver.")
        return Explanation([box], tr.gettext("Blank square"), text, 4)
    if square.status == "sold":
        buyer = next(panel.name for panel in board.panels if panel.letter == square.owner)
        text, rule = tr.gettext("Sold to {name}, to whom it brings {value} points."), 11
    elif square.status == "unsold":
        buyer, rule = "", 13
        text = tr.gettext("Nobody bid for it: it has left the game.")
    elif square.status == "now":
        buyer, rule = "", 7
        text = tr.gettext("This gem is auctioned now. It is worth {value} points to whoever wins it.")
    else:
        buyer, rule = "", 6
        text = tr.gettext(
            "Still in the bag, worth {value} points. Whoever starts a round chooses the size; which gem of "
            "that size comes is left to chance."
        )
    name = tr.gettext("Square of the gem: {gem}").format(gem=name_gem(square.jewel.code, tr))
    return Explanation([box], name, text.format(name=buyer, value=square.jewel.value), rule)


def _explain_tower(tower: Tower, tr: Translator) -> Explanation:
    text = tr.gettext(
        "The first gem that is sold from one of the four squares around it brings its buyer the top piece, worth"
        " {points}."
    )
    name = tr.ngettext("Silver: {pieces} piece", "Silver: {pieces} pieces", tower.pieces)
    box = Box(tower.x - TOWER, tower.y - TOWER, 2 * TOWER, 2 * TOWER)
    return Explanation([box], name.format(pieces=tower.pieces), text.format(points=tower.points), 16)


def _explain_bonuses(board: Board, tr: Translator) -> Iterator[Explanation]:
    text = tr.gettext("Whoever owns all of them at the end has {points} more, besides their values.")
    for bonus, (gems, points) in zip(board.bonuses, COMBINATIONS, strict=True):
        box = Box(board.side.x, bonus.y - LINE // 2, board.side.width, LINE)
        name = tr.gettext("Bonus: {gems}").format(gems=", ".join([name_gem(gem, tr) for gem in gems]))
        yield Explanation([box], name, text.format(points=points), 19)
    if board.has_silver:
        pieces = ", ".join([name_silver(piece, tr) for piece in range(len(SILVER_POINTS))])
        box = Box(board.side.x, board.silver_line - LINE // 2, board.side.width, LINE)
        yield Explanation(
            [box], tr.gettext("Bonus: {gems}").format(gems=pieces), text.format(points=ALL_SILVER), 19
        )


def _explain_seat(panel: SeatPanel, board: Board, tr: Translator) -> Iterator[Explanation]:
    if panel.is_starter:
        text = tr.gettext("Chooses the size of the gem and must open the auction with one card or more.")
        yield Explanation([_from(panel, TITLE)], tr.gettext("{name} starts").format(name=panel.name), text, 7)
    name = tr.gettext("Points of {name}: {points}").format(name=panel.name, points=panel.score)
    text = tr.gettext("The values of the gems, 1 for each card in hand, and the bonuses.")
    yield Explanation([_from(panel, POINTS)], name, text, 18)
    if panel.has_passed:
        name = tr.gettext("{name} has passed").format(name=panel.name)
        text = tr.gettext("Out of this auction. Whoever passes first starts the next round.")
        yield Explanation([_from(panel, board.call)], name, text, 12)
    elif panel.total:
        name = tr.gettext("Bid of {name}: {bid}").format(name=panel.name, bid=panel.total)
        text = tr.gettext(
            "The total of the cards on the table. To stay in, it must be raised above all others."
        )
        yield Explanation([_from(panel, board.call)], name, text, 8)


def _explain_belongings(panel: SeatPanel, tr: Translator) -> Iterator[Explanation]:
    lying = [card.value for card in panel.cards if card.place == "table"]
    for card in panel.cards:
        if card.place != "spent" or card.value not in lying:
            yield _explain_card(card, tr)
    for jewel in panel.jewels:
        text = tr.gettext("It brings its owner {value} points; some gems together bring a bonus.")
        box = Box(jewel.x + GEM.x, jewel.y + GEM.y, GEM.width, GEM.height)
        name = tr.gettext("Gem: {gem}").format(gem=name_gem(jewel.code, tr))
        yield Explanation([box], name, text.format(value=jewel.value), 19)
    for piece in panel.silver:
        name = name_silver(SILVER_POINTS.index(piece.points), tr)
        text = tr.ngettext(
            "It brings its owner {points} point; all three together bring {all} more.",
            "It brings its owner {points} points; all three together bring {all} more.",
            piece.points,
        ).format(points=piece.points, all=ALL_SILVER)
        box = Box(piece.x + SILVER.x, piece.y + SILVER.y, SILVER.width, SILVER.height)
        yield Explanation([box], name[:1].upper() + name[1:], text, 19)


def _explain_card(card: Card, tr: Translator) -> Explanation:
    box = Box(card.x, card.y, card.width, card.height)
    if card.place == "table":
        name = tr.gettext("Card {value} on the table")
        text = tr.gettext(
            "It counts {value} in this auction. The winner discards it; the others take theirs back."
        )
        rule = 11
    elif card.place == "hand":
        name = tr.gettext("Card {value} in hand")
        text = tr.gettext("It can bid {value}. Kept to the end it is 1 point, whatever its number.")
        rule = 18
    else:
        name = tr.gettext("Place of the card {value}")
        text = tr.gettext("This card has been spent on a gem and does not come back.")
        rule = 11
    return Explanation([box], name.format(value=card.value), text.format(value=card.value), rule)


def _from(panel: SeatPanel, box: Box) -> Box:
    return Box(box.x, panel.y + box.y, box.width, box.height)
