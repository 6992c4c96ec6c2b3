"""Gemessengers' cards, rows and picks in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from games.contract import Translator
from games.gemessengers.components import PROCLAMATIONS_PER_ROW, VALUES, Row
from games.gemessengers.state import ROW_SPOTS, Cards, Move, Play, Spot


def name_suit(suit: str, tr: Translator) -> str:
    """Name a gem."""
    return {
        "A": tr.gettext("amethyst"),
        "C": tr.gettext("citrine"),
        "D": tr.gettext("diamond"),
        "E": tr.gettext("emerald"),
        "R": tr.gettext("ruby"),
        "S": tr.gettext("sapphire"),
        "T": tr.gettext("topaz"),
    }[suit]


def name_row(row: Row, tr: Translator) -> str:
    """Name a row of the guild or of a piece."""
    return {
        Row.HEADSTONE: tr.gettext("headstone"),
        Row.DECORATION: tr.gettext("decoration"),
        Row.BASE: tr.gettext("base"),
    }[row]


def name_piece(name: str, tr: Translator) -> str:
    """Name the piece that is crafted in a round."""
    return {
        "circlet": tr.gettext("circlet"),
        "pendant": tr.gettext("pendant"),
        "scepter": tr.gettext("scepter"),
    }[name]


def name_card(card: str, tr: Translator) -> str:
    """Name a gem or a proclamation."""
    if len(card) == 1:
        return name_suit(card, tr)
    return tr.gettext("{suit} proclamation").format(suit=name_suit(card[1], tr))


def name_hand(cards: Cards, tr: Translator) -> Iterator[str]:
    """Name cards in canonical order with their codes, equal ones counted: `2 rubies (R R)`."""
    for card, equal in groupby(cards):
        codes = list(equal)
        count = len(codes)
        name = _name_cards(card, count, tr) if count > 1 else name_card(card, tr)
        yield f"{name} ({' '.join(codes)})"


def _name_cards(card: str, count: int, tr: Translator) -> str:
    """Name so many equal cards."""
    if len(card) > 1:
        return tr.ngettext("{count} {suit} proclamation", "{count} {suit} proclamations", count).format(
            count=count, suit=name_suit(card[1], tr)
        )
    return {
        "A": tr.ngettext("{count} amethyst", "{count} amethysts", count),
        "C": tr.ngettext("{count} citrine", "{count} citrines", count),
        "D": tr.ngettext("{count} diamond", "{count} diamonds", count),
        "E": tr.ngettext("{count} emerald", "{count} emeralds", count),
        "R": tr.ngettext("{count} ruby", "{count} rubies", count),
        "S": tr.ngettext("{count} sapphire", "{count} sapphires", count),
        "T": tr.ngettext("{count} topaz", "{count} topazes", count),
    }[card].format(count=count)


def name_spot(spot: Spot, tr: Translator) -> str:
    """Name the spot of a gem."""
    if spot in ROW_SPOTS:
        return tr.gettext("in row {row}").format(row=ROW_SPOTS.index(spot) + 1)
    return {
        Spot.FIRST: tr.gettext("as the first gem"),
        Spot.ABOVE: tr.gettext("above the top row"),
        Spot.BELOW: tr.gettext("below the bottom row"),
    }[spot]


def name_pick(pick: Move, tr: Translator) -> str:
    """Name a pick: the card and its place."""
    if isinstance(pick, Play):
        return tr.gettext("{gem} {spot}").format(gem=name_suit(pick.gem, tr), spot=name_spot(pick.spot, tr))
    return tr.gettext("{suit} proclamation to {rows}").format(
        suit=name_suit(pick.suit, tr), rows=_name_preferences(pick.rows, tr)
    )


def _name_preferences(rows: Iterable[Row], tr: Translator) -> str:
    return tr.gettext(", else ").join([name_row(row, tr) for row in rows])


def name_guild_row(row: Row, proclaimed: Cards, tokens: int, tr: Translator) -> str:
    """Describe a guild row: its proclamations, the value of their gems there, the tokens left."""
    left = tr.ngettext("{count} token left", "{count} tokens left", tokens).format(count=tokens)
    name = name_row(row, tr)
    if not proclaimed:
        return tr.gettext("{row}: no proclamation; {left}").format(row=name, left=left)
    if len(proclaimed) == PROCLAMATIONS_PER_ROW:
        sentence = tr.gettext("{row} (full): {suits}, worth {value} each here; {left}")
    else:
        sentence = tr.gettext("{row}: {suits}, worth {value} each here; {left}")
    suits = ", ".join([name_suit(suit, tr) for suit in proclaimed])
    return sentence.format(row=name, suits=suits, value=VALUES[len(proclaimed)], left=left)
