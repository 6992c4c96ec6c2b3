"""Names the pieces on GEM's board picture, for a reader who asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from games.contract import Translator
from games.gem.components import DAYS
from games.gem.words import name_jewels
from games.picture import Box, Explanation

if TYPE_CHECKING:
    from games.gem.layout import Board, Card, Coin, Day, SeatPanel

DAY = Box(-32, 36, 64, 50)
"""A station of the track and the words below it, from its middle."""
TITLE, POINTS = Box(12, 0, 282, 50), Box(396, 6, 66, 42)
"""The name of a seat and its points, from the upper left corner of its panel."""
COIN = 25


def explain(board: Board, tr: Translator) -> Iterator[Explanation]:
    """Explain the days, the cards for sale, and what lies in front of every seat."""
    for day in board.days:
        yield _explain_day(day, board, tr)
    for card in board.open:
        yield Explanation([_box(card)], _name(card, tr), _sell(card, board, tr), 10)
    for panel in board.panels:
        yield from _explain_seat(panel, board, tr)
        for card in panel.cards:
            yield _explain_card(card, tr)
        for coin in panel.coins:
            yield _explain_coin(coin, tr)


def _explain_day(day: Day, board: Board, tr: Translator) -> Explanation:
    if day.time == "past":
        text = tr.gettext("This day is over: all its cards are sold.")
    elif day.time == "now":
        text = tr.gettext("Today: the open cards are auctioned one by one, then everybody may invest.")
    else:
        text = tr.gettext("The cards of this day still lie face down; nobody knows them.")
    name = tr.gettext("Day {day} of {days}").format(day=day.number, days=DAYS)
    box = Box(day.x + DAY.x, DAY.y, DAY.width, DAY.height)
    return Explanation([box], name, text, 5 if day.time == "later" else 7)


def _name(card: Card, tr: Translator) -> str:
    return tr.gettext("Card {card}: {jewels}").format(card=card.code, jewels=name_jewels(card.code, tr))


def _sell(card: Card, board: Board, tr: Translator) -> str:
    text = tr.gettext(
        "For sale: whoever wins the auction takes one of the open cards. It comes inactive and costs {cost} "
        "to activate; then it pays {value}."
    )
    if board.day == DAYS:
        text = tr.gettext(
            "For sale: whoever wins the auction takes one of the open cards. On the last day it is active at "
            "once and pays {value}."
        )
    return text.format(cost=card.cost, value=card.value)


def _explain_seat(panel: SeatPanel, board: Board, tr: Translator) -> Iterator[Explanation]:
    if panel.is_oya:
        text = tr.gettext("The Oya opens the auction with a bid of 0 or more and may not pass.")
        yield Explanation([_from(panel, TITLE)], tr.gettext("Oya: {name}").format(name=panel.name), text, 8)
    points = tr.gettext(
        "What the active cards would count now: 1 for each jewel, 3 for having most of a kind, 2 if that is shared."
    )
    name = tr.gettext("Points of {name}: {points}").format(name=panel.name, points=panel.score)
    yield Explanation([_from(panel, POINTS)], name, points, 22)
    if panel.call == "bid":
        text = tr.gettext("Everybody may speak once, and must bid more than the last bid or pass.")
        name = tr.gettext("Bid of {name}: {bid}").format(name=panel.name, bid=panel.bid)
        if panel.is_leading:
            text = tr.gettext("The highest bid so far: whoever bids last wins the auction.")
        yield Explanation([_from(panel, board.call)], name, text, 9)
    elif panel.call:
        text = tr.gettext("Whoever has passed is out of this auction and pays nothing.")
        yield Explanation(
            [_from(panel, board.call)], tr.gettext("{name} has passed").format(name=panel.name), text, 9
        )


def _explain_card(card: Card, tr: Translator) -> Explanation:
    if card.active:
        text = tr.gettext(
            "Active: it pays {value} and is inactive then. If it is active at the end, each of its jewels is a point."
        ).format(value=card.value)
        return Explanation([_box(card)], _name(card, tr), text, 3)
    text = tr.gettext(
        "Inactive: it pays nothing and counts nothing. Activating it in the investments of a day costs {cost}."
    ).format(cost=card.cost)
    return Explanation([_box(card)], _name(card, tr), text, 18)


def _explain_coin(coin: Coin, tr: Translator) -> Explanation:
    box = Box(coin.x - COIN, coin.y - COIN, 2 * COIN, 2 * COIN)
    if coin.active:
        name = tr.gettext("Coin of {value}").format(value=coin.value)
        text = tr.gettext("It pays {value} for a card or an investment, without change.")
        return Explanation([box], name, text.format(value=coin.value), 13)
    name = tr.gettext("Spent coin of {value}").format(value=coin.value)
    text = tr.gettext("It is active again when the investments of this day are done.")
    return Explanation([box], name, text, 19)


def _from(panel: SeatPanel, box: Box) -> Box:
    return Box(box.x, panel.y + box.y, box.width, box.height)


def _box(card: Card) -> Box:
    return Box(card.x, card.y, card.width, card.height)
