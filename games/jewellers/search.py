"""The moves of Jewellers that the bots which search compare: few of the many sets of cards are ever better."""

from __future__ import annotations

from itertools import combinations

from games.contract import Seat
from games.jewellers.components import SIZES, TOUCHED
from games.jewellers.state import Bid, Draw, Move, Pass, Phase, Place, State, Stay, leading_total, must_open

PAIRS = 5
"""So many sets of two cards are compared, those with the lowest totals; and as many of three when no two are enough."""


def suggest(state: State, seat: Seat) -> list[Move]:
    """The seat's moves: passing, each card alone that is enough, and cheap sets; or the best places for silver."""
    match state.phase:
        case Phase.DRAW:
            return [Draw(size) for size, colours in zip(SIZES, state.bag, strict=True) if colours]
        case Phase.BID:
            return _suggest_bids(state, seat)
        case Phase.OVER:
            return []
        case _:
            left = {
                colour + size[0] for size, colours in zip(SIZES, state.bag, strict=True) for colour in colours
            }
            places = sorted(TOUCHED, key=lambda junction: -len(TOUCHED[junction] & left))
            stay: list[Move] = [Stay()] if state.phase is Phase.MOVE else []
            return [*stay, *map(Place, places[:8])]


def _suggest_bids(state: State, seat: Seat) -> list[Move]:
    hand, needed = state.hands[seat], leading_total(state) - sum(state.table[seat])
    moves: list[Move] = [] if must_open(state, seat) else [Pass()]
    moves += [Bid((card,)) for card in hand if card > needed]
    for size in range(2, len(hand) + 1):
        sets = [cards for cards in combinations(hand, size) if sum(cards) > needed >= sum(cards[1:])]
        moves += [Bid(cards) for cards in sorted(sets, key=sum)[:PAIRS]]
        if sets:
            break
    return moves
