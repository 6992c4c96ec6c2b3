"""A quick player: any card, then the good and the field that bring most."""

from __future__ import annotations

from games.chance import Chance
from games.contract import Seat
from quay.state import FIELDS, GOODS, Load, Move, Offer, State, count_points


def choose(state: State, seat: Seat, chance: Chance) -> Move:
    """A legal move for a seat that is to act, by what it may know."""
    if not state.order:
        hand = state.hands[seat]
        return Offer(hand[chance.below(len(hand))])
    goods = [good for good in GOODS if good in state.market]
    free = [place for place, lying in enumerate(state.quay) if not lying]
    good, place = max(
        ((good, place) for good in goods for place in free), key=lambda load: count_points(state.quay, *load)
    )
    return Load(good, FIELDS[place])
