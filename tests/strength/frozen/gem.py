"""A cheap guess of how a seat of GEM stands, for the easy bot."""

from __future__ import annotations

from games.contract import Seat
from games.gem.components import DAYS, JEWELS
from games.gem.payment import jewel_cards, worth
from games.gem.scoring import count_jewels, score_seats
from games.gem.state import Phase, State, leading_bid, leading_call

SLEEPING = (0.0, 0.8, 0.75, 0.7, 0.6, 0.45, 0.2)
"""The worth of an inactive card relative to an active one, by day: later there is less time to activate it."""
PURSE = 0.12
"""The worth of a unit of buying power, in points."""


def evaluate(state: State, seat: Seat) -> float:
    """The seat's prospects less those of the best other seat, in points."""
    prospects = _estimate_prospects(state)
    return prospects[seat] - max(value for other, value in enumerate(prospects) if other != seat)


def _estimate_prospects(state: State) -> list[float]:
    awake = [count_jewels(pieces) for pieces in state.active]
    everything = [
        count_jewels(active + inactive) for active, inactive in zip(state.active, state.inactive, strict=True)
    ]
    now, later = score_seats(awake), score_seats(everything)
    share = SLEEPING[state.day]
    prospects = [
        now[seat] + share * (later[seat] - now[seat]) + PURSE * worth(jewel_cards(pieces))
        for seat, pieces in enumerate(state.active)
    ]
    if state.phase in (Phase.BID, Phase.TAKE) and leading_call(state.calls) >= 0:
        leader = (state.oya + leading_call(state.calls)) % len(state.active)
        prospects[leader] += _estimate_gain(state, leader)
    return prospects


def _estimate_gain(state: State, leader: Seat) -> float:
    """Estimate the gain of winning this auction: the most jewels on an open card, less the price."""
    jewels = max(len(JEWELS[card]) for card in state.open)
    share = 1.0 if state.day == DAYS else SLEEPING[state.day]
    price = leading_bid(state.calls)
    rest = worth(state.active[leader]) - price
    return 1.8 * share * jewels - 0.35 * price + 0.05 * rest
