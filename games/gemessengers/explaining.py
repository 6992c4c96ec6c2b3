"""Names the pieces on Gemessengers' board picture, for a reader who asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from games.contract import Translator
from games.gemessengers.board import SLOT_HEIGHT, SLOT_WIDTH
from games.gemessengers.components import PIECES, ROW_NAMES
from games.gemessengers.naming import name_card, name_piece, name_row, name_suit
from games.picture import Box, Explanation

if TYPE_CHECKING:
    from games.gemessengers.board import Board, Card, Gem, GuildRow, SeatPanel, Station

STATION = Box(0, 34, 148, 40)
TOKEN = 24
TAKEN, POINTS = Box(336, 12, 52, 30), Box(398, 6, 64, 42)
"""The tokens of a seat and its points, from the upper left corner of its panel."""
ROWS = {name: row for row, name in ROW_NAMES.items()}


def explain(board: Board, tr: Translator) -> Iterator[Explanation]:
    """Explain the rounds, the guild, and the workshop and the hand of every seat."""
    for station in board.stations:
        yield _explain_station(station, tr)
    for row in board.guild:
        yield from _explain_guild_row(row, tr)
    for panel in board.panels:
        yield from _explain_seat(panel, board, tr)
        for gem in panel.gems:
            yield _explain_gem(gem, panel, tr)
        if not board.is_over:
            for card in panel.hand:
                yield _explain_card(card, panel, tr)


def _explain_station(station: Station, tr: Translator) -> Explanation:
    number, piece = next(each for each in enumerate(PIECES, start=1) if each[1].name == station.name)
    text = tr.gettext(
        "Its rows take {headstone}, {decoration} and {base} gems, from the top. Hands go to the left."
    )
    if piece.passes < 0:
        text = tr.gettext(
            "Its rows take {headstone}, {decoration} and {base} gems, from the top. Hands go to the right."
        )
    capacities = dict(zip(("headstone", "decoration", "base"), piece.capacities, strict=True))
    name = tr.gettext("Round {round}: {piece}").format(round=number, piece=name_piece(piece.name, tr))
    box = Box(station.x + STATION.x, STATION.y, STATION.width, STATION.height)
    return Explanation([box], name, text.format(**capacities), 5)


def _explain_guild_row(row: GuildRow, tr: Translator) -> Iterator[Explanation]:
    row_name = name_row(ROWS[row.name], tr)
    for card in row.proclamations:
        text = tr.gettext(
            "Every gem of this kind that lies in this row of a piece ({row}) is worth {value} points now."
        )
        yield Explanation(
            [_box_of_slot(card.x, card.y)], _name(card, tr), text.format(row=row_name, value=row.value), 24
        )
    for card in row.pending:
        text = tr.gettext(
            "Your pick, which only you see. It goes to this row ({row}) if that is still open then."
        )
        yield Explanation([_box_of_slot(card.x, card.y)], _name(card, tr), text.format(row=row_name), 17)
    if row.slots:
        text = tr.gettext(
            "A proclamation can go here. With one in the row its gems are worth 4, with two 3, with three 2."
        )
        name = tr.gettext("Free places of the guild: {row}").format(row=row_name)
        yield Explanation([_box_of_slot(slot.x, slot.y) for slot in row.slots], name, text, 24)
    if row.tokens:
        boxes = [Box(token.x - TOKEN / 2, token.y - TOKEN / 2, TOKEN, TOKEN) for token in row.tokens]
        text = tr.gettext(
            "Whoever places a proclamation in this row takes one. Finished players take one every turn."
        )
        yield Explanation(boxes, tr.gettext("Tokens: {row}").format(row=row_name), text, 19)


def _name(card: Card, tr: Translator) -> str:
    """Name a card, with its number if it is a proclamation: `Ruby proclamation, number 5`."""
    name = name_card(card.code, tr)
    if card.number:
        name = tr.gettext("{card}, number {number}").format(card=name, number=card.number)
    return name[:1].upper() + name[1:]


def _explain_seat(panel: SeatPanel, board: Board, tr: Translator) -> Iterator[Explanation]:
    name = tr.gettext("Points of {name}: {points}").format(name=panel.name, points=panel.score)
    text = tr.gettext("The rounds that are finished, the tokens, and the gems by the guild as it stands.")
    yield Explanation([_from(panel, POINTS)], name, text, 28)
    if panel.taken:
        name = tr.gettext("Tokens of {name}: {tokens}").format(name=panel.name, tokens=panel.taken)
        text = tr.gettext("Each is 1 point at the end of the round, when all go back.")
        yield Explanation([_from(panel, TAKEN)], name, text, 26)
    if panel.slots and not board.is_over:
        cell = panel.scale.cell
        text = tr.gettext(
            "A gem lies beside the gems of a row, or makes a new row above or below. Six gems finish the piece."
        )
        name = tr.gettext("Free places of a workshop")
        yield Explanation([Box(slot.x, slot.y, cell, cell) for slot in panel.slots], name, text, 12)


def _explain_gem(gem: Gem, panel: SeatPanel, tr: Translator) -> Explanation:
    cell = panel.scale.cell
    box = Box(gem.x - cell // 2, gem.y - cell // 2, cell, cell)
    if gem.is_pending:
        text, rule = tr.gettext("Your pick, which only you see. It is going to lie here."), 9
    elif gem.value > 1:
        text = tr.gettext("Worth {value} points: its proclamation lies in the same row of the guild.")
        text, rule = text.format(value=gem.value), 24
    elif gem.value:
        text = tr.gettext("Worth 1 point, unless its proclamation comes to the same row of the guild.")
        rule = 25
    else:
        text = tr.gettext("Counted as 1 point while it is still open which row of the piece this is.")
        rule = 28
    name = tr.gettext("Gem in the workshop: {suit}").format(suit=name_suit(gem.suit, tr))
    return Explanation([box], name, text, rule)


def _explain_card(card: Card, panel: SeatPanel, tr: Translator) -> Explanation:
    box = Box(card.x, card.y, panel.scale.card_width, panel.scale.card_height)
    if not card.code:
        text = tr.gettext("You cannot know what it is. Hands are passed on after every turn.")
        return Explanation([box], tr.gettext("Unknown card"), text, 10)
    if not panel.is_reader:
        text = tr.gettext("You passed it on, so you know that it must be in this hand.")
        return Explanation([box], _name(card, tr), text, 33)
    if card.number:
        text = tr.gettext(
            "In your hand. Picked, it goes to a row of the guild and brings a token; low numbers are placed first."
        )
        return Explanation([box], _name(card, tr), text, 17)
    text = tr.gettext("In your hand. Picked, it goes into your workshop; the rest of the hand is passed on.")
    return Explanation([box], _name(card, tr), text, 9)


def _box_of_slot(x: float, y: float) -> Box:
    return Box(x, y, SLOT_WIDTH, SLOT_HEIGHT)


def _from(panel: SeatPanel, box: Box) -> Box:
    return Box(box.x, panel.y + box.y, box.width, box.height)
