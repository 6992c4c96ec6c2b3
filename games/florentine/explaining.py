"""Names the pieces on Florentine Domino's board picture, for a reader who asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from games.contract import Translator
from games.florentine.names import name_colour, name_gem
from games.picture import Box, Explanation

if TYPE_CHECKING:
    from games.florentine.layout import BlackCard, Board, Card, SeatPanel

PILE = Box(8, 6, 226, 34)
TITLE = 46
"""The height of the part of a panel that has the name of the seat."""
FINGER = 24


def explain(board: Board, tr: Translator) -> Iterator[Explanation]:
    """Explain the pile, the free cells, the cards wherever they lie, and the seats."""
    if board.phase == "hands" and not board.is_over:
        text = tr.gettext(
            "Cards that nobody knows. Everybody draws one after a turn; with the last card all hands are "
            "laid open."
        )
        name = tr.ngettext("The pile: {cards} card", "The pile: {cards} cards", board.pile)
        yield Explanation([PILE], name.format(cards=board.pile), text, 12)
    opened = [Box(cell.x, cell.y, board.cell, board.cell) for cell in board.cells if cell.is_open]
    if opened:
        text = tr.gettext("A card may be put here if all triangles that touch have the same colour.")
        yield Explanation(opened, tr.gettext("Free cells"), text, 15)
    for card in board.cards:
        yield Explanation([_box(card)], _name(card, tr), _tell_laid(card, tr), 23 if card.gem else 21)
    for card in board.hand:
        text = tr.gettext("In your hand; the others do not see it. Put it on a cell, or lay it in the pool.")
        yield Explanation([_box(card)], _name(card, tr), f"{text} {_tell_gem(card, tr)}", 12)
    for card in board.pool.cards:
        if board.phase == "hands":
            text, rule = tr.gettext("In the pool: nobody can play it before the pile is used up."), 16
        else:
            text, rule = tr.gettext("In the pool: everybody may play it."), 17
        yield Explanation([_box(card)], _name(card, tr), f"{text} {_tell_gem(card, tr)}", rule)
    for panel in board.seats:
        yield _explain_seat(panel, tr)
    yield from _explain_black_cards(board, tr)


def _name(card: Card, tr: Translator) -> str:
    colours = ", ".join([name_colour(colour, tr) for colour in card.code])
    return tr.gettext("Card {card}: {colours}").format(card=card.code, colours=colours)


def _tell_gem(card: Card, tr: Translator) -> str:
    if not card.gem:
        return tr.gettext("It carries no gem.")
    text = tr.gettext("It carries a gem, {gem}, for the player of {colour}.")
    return text.format(gem=name_gem(card.gem, tr), colour=name_colour(card.gem, tr))


def _tell_laid(card: Card, tr: Translator) -> str:
    """Say whether the gem of a laid card counts."""
    if not card.gem:
        return tr.gettext("It carries no gem. Its triangles continue the rooms of their colours.")
    is_closed = any(side.is_closed for side in card.sides if side.colour == card.gem)
    if is_closed:
        text = tr.gettext("Its gem, {gem}, lies in a closed room: 1 point for the player of {colour}.")
    else:
        text = tr.gettext("Its gem, {gem}, is a point for the player of {colour} once its room is closed.")
    return text.format(gem=name_gem(card.gem, tr), colour=name_colour(card.gem, tr))


def _explain_seat(panel: SeatPanel, tr: Translator) -> Explanation:
    text = tr.gettext(
        "Plays {colour} and collects this gem: {gem}. Each in a closed room of that colour is a point."
    )
    return Explanation(
        [Box(panel.x, panel.y, panel.width, TITLE)],
        tr.gettext("Points of {name}: {points}").format(name=panel.name, points=panel.score),
        text.format(colour=name_colour(panel.colour, tr), gem=name_gem(panel.colour, tr)),
        23,
    )


def _explain_black_cards(board: Board, tr: Translator) -> Iterator[Explanation]:
    names = {panel.letter: panel.name for panel in board.seats}
    title = tr.gettext("Black card of {name}")
    for black in board.blacks:
        text = tr.gettext("It shuts the room of {colour} at this outer edge.")
        text = text.format(colour=name_colour(black.colour, tr))
        yield Explanation([_box_around(black)], title.format(name=names[black.letter]), text, 22)
    if board.own_black:
        text = tr.gettext(
            "It may shut a room of your colour at an outer edge of the square, once, when no more cards are laid."
        )
        name = title.format(name=names[board.own_black.letter])
        yield Explanation([board.own_black.box], name, text, 19)


def _box(card: Card) -> Box:
    return Box(card.x, card.y, card.size, card.size)


def _box_around(black: BlackCard) -> Box:
    """The black card as it lies at the rim, wide enough for a finger."""
    long = black.box.width
    width, height = (long, FINGER) if black.turn % 180 == 0 else (FINGER, long)
    return Box(black.x - width / 2, black.y - height / 2, width, height)
