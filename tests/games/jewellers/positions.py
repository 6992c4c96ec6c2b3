"""Short ways to positions of Jewellers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from games.chance import NO_SEED, Chance
from games.contract import Event, IllegalMove
from games.jewellers.components import CARDS
from games.jewellers.rules import RULES
from games.jewellers.state import Cards, Sale, State
from tests.games.playing import play_texts

DEAL = "small: R E P S L; medium: P R E S L; large: L S P E R"
"""The medium gem that is drawn first is the pearl of the rule sheet's example."""

SILVER = {"silver": "yes"}


def first_position(
    seats: int = 4, deal: str = DEAL, options: Mapping[str, str] | None = None, first: int = 0
) -> State:
    """The first position: everybody holds all cards, and seat A starts."""
    return RULES.deal_explicit(seats=seats, options=options or {}, deal=deal, first=first)


def play(state: State, *texts: str) -> State:
    """The position after these moves, each by the seat to act."""
    return play_with_events(state, *texts)[0]


def play_with_events(state: State, *texts: str) -> tuple[State, list[Event]]:
    """The position after these moves and everything that happened."""
    return play_texts(RULES, state, texts)


def with_hands(state: State, *hands: str) -> State:
    """The position with these cards in hand; the others are gone."""
    return replace(state, hands=tuple(read_cards(hand) for hand in hands))


def read_cards(text: str) -> Cards:
    """Read cards: `2 9`."""
    return tuple(int(word) for word in text.split())


def with_sales(state: State, *owned: str) -> State:
    """The position in which each seat has already bought these gems, for no card of the present hands."""
    sales = tuple(Sale(gem, seat, ()) for seat, gems in enumerate(owned) for gem in gems.split())
    sold = {sale.gem for sale in sales}
    bag = tuple(
        tuple(colour for colour in colours if colour + size not in sold)
        for size, colours in zip("sml", state.bag, strict=True)
    )
    return replace(state, sales=sales, bag=bag)


def last_gem(seats: int, gem: str, *hands: str, options: Mapping[str, str] | None = None) -> State:
    """The position with only this gem in the bag; the others left the game unsold, and seat A starts."""
    state = first_position(seats, options=options)
    everything = [colour + size for size in "sml" for colour in "REPSL"]
    bag = tuple((gem[0],) if gem[1] == size else () for size in "sml")
    sales = tuple(Sale(other, None, ()) for other in everything if other != gem)
    cards = hands or (" ".join(str(card) for card in CARDS),) * seats
    return with_hands(replace(state, bag=bag, sales=sales), *cards)


def refuse(state: State, text: str) -> IllegalMove:
    """The refusal of this move by the seat to act."""
    move = RULES.parse(state, state.turn, text)
    with pytest.raises(IllegalMove) as refusal:
        RULES.apply(state, state.turn, move, Chance(NO_SEED, "ply 1"))
    return refusal.value
