"""The moves of GEM that the bots which search compare: of many payments one is enough, and few bids make sense."""

from __future__ import annotations

from itertools import combinations

from games.contract import Seat
from games.gem.components import COST, DAYS, JEWELS
from games.gem.payment import cheapest_payment, jewel_cards, total_cost, worth
from games.gem.policy import pay
from games.gem.state import Bid, Invest, Keep, Move, Pass, Phase, Pieces, State, Take, leading_bid

BIDS = 8
"""So many bids above the leading one are compared."""
SETS = 6
"""So many sets of cards to activate are compared, those on which most is spent."""


def suggest(state: State, seat: Seat) -> list[Move]:
    """The seat's moves that are worth comparing."""
    active = state.active[seat]
    match state.phase:
        case Phase.BID:
            lead = leading_bid(state.calls)
            bids = [Bid(amount) for amount in range(lead + 1, min(worth(active), lead + BIDS) + 1)]
            return [Pass(), *bids] if state.calls else [*bids]
        case Phase.TAKE:
            lead = leading_bid(state.calls)
            ways = dict.fromkeys([pay(active, lead), cheapest_payment(active, lead)])
            return [Take(card, way) for card in state.open for way in ways]
        case Phase.INVEST:
            sets = _list_sets(jewel_cards(state.inactive[seat]), worth(active))
            found = [Invest(cards, pay(active, total_cost(cards))) for cards in sets[:SETS]]
            return [*found, Keep()] if state.day == DAYS or not found else [*found]
        case _:
            return []


def _list_sets(cards: Pieces, purse: int) -> list[Pieces]:
    """The sets of cards whose activation the purse covers, those that cost most first."""
    sets = [chosen for size in range(1, len(cards) + 1) for chosen in combinations(cards, size)]
    affordable = [chosen for chosen in sets if sum([COST[card] for card in chosen]) <= purse]
    return sorted(
        affordable, key=lambda chosen: (-total_cost(chosen), -sum([len(JEWELS[card]) for card in chosen]))
    )
