"""Every component of a position, game by game: nothing may appear or vanish while a match is played.

A new game adds one function and one line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from games.florentine.square import CARD_OF
from games.florentine.state import State as FlorentineState
from games.gem.state import State as GemState
from games.gembatan.state import State as GembatanState
from games.gemessengers.components import PROCLAMATION
from games.gemessengers.state import State as GemessengersState
from games.jewellers.state import State as JewellersState


def list_florentine_pieces(state: FlorentineState) -> Counter[str]:
    laid = [CARD_OF[look] for look in state.square if look]
    return Counter(chain(laid, *state.hands, state.pool, state.pile))


def list_gem_pieces(state: GemState) -> Counter[str]:
    return Counter(chain(state.open, *state.piles, *state.active, *state.inactive))


def list_gembatan_pieces(state: GembatanState) -> Counter[str]:
    laid = [piece.code for piece in (*state.tiles, *state.gems)]
    return Counter(chain(laid, *state.tile_hands, *state.gem_hands, state.tile_tray, state.gem_tray))


def list_gemessengers_pieces(state: GemessengersState) -> Counter[str]:
    """The cards and tokens of the present round: each later one has a deck of its own."""
    workshops = [row for workshop in state.workshops for row in workshop]
    guild = [PROCLAMATION[suit] for row in state.guild for suit in row]
    tokens = ["token"] * (sum(state.tokens) + sum(state.taken))
    return Counter(chain(*state.hands, state.pile, *workshops, guild, tokens))


def list_jewellers_pieces(state: JewellersState) -> Counter[str]:
    """Gems, and every seat's cards: in hand, on the table, or spent on a gem."""
    pieces = Counter(sale.gem for sale in state.sales)
    pieces.update(colour + size for size, colours in zip("sml", state.bag, strict=True) for colour in colours)
    pieces.update([state.gem] if state.gem else [])
    for seat, cards in enumerate(zip(state.hands, state.table, strict=True)):
        pieces.update(f"{seat}: {card}" for card in chain(*cards))
    pieces.update(f"{sale.buyer}: {card}" for sale in state.sales for card in sale.cards)
    return pieces


LIST_PIECES: Mapping[str, Callable[[Any], Counter[str]]] = {
    "florentine": list_florentine_pieces,
    "gem": list_gem_pieces,
    "gembatan": list_gembatan_pieces,
    "gemessengers": list_gemessengers_pieces,
    "jewellers": list_jewellers_pieces,
}
