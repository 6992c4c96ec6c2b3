"""A cheap guess of how a seat of Jewellers stands, for the easy bot."""

from __future__ import annotations

from collections.abc import Sequence

from games.contract import Seat
from games.jewellers.components import COMBINATIONS, GEM_VALUE, SIZES, TOUCHED
from games.jewellers.scoring import Tally, tally_seats
from games.jewellers.state import State

BEGUN = 0.6
"""The worth of a combination that is begun: this share of its points, times the square of the owned part."""
SILVER = 2.0
"""The worth of the next silver piece to its buyer, with the prospect of more."""


def evaluate(state: State, seat: Seat) -> float:
    """The seat's prospects less those of the best other seat, in points."""
    prospects = _estimate_prospects(state)
    return prospects[seat] - max(value for other, value in enumerate(prospects) if other != seat)


def _estimate_prospects(state: State) -> list[float]:
    """Sum the points so far and the worth of the cards in hand, as if the auction ended with its present leader."""
    left = [colour + size[0] for size, colours in zip(SIZES, state.bag, strict=True) for colour in colours]
    hands = [
        hand if seat == state.leader else hand + table
        for seat, (hand, table) in enumerate(zip(state.hands, state.table, strict=True))
    ]
    gems = [list(tally.gems) for tally in tally_seats(state)]
    silver = 0.0
    if state.gem is not None and state.leader is not None:
        gems[state.leader].append(state.gem)
        if state.tower is not None and state.gem in TOUCHED[state.tower]:
            silver = SILVER
    elif state.gem is not None:
        left.append(state.gem)
    power = sum([sum(hand) for hand in hands])
    worth = sum([GEM_VALUE[gem] for gem in left])
    prospects = []
    for seat, hand in enumerate(hands):
        tally = Tally(tuple(gems[seat]), 0, tuple(p for p, owner in enumerate(state.silver) if owner == seat))
        idle = max(0, len(hand) - len(left))
        bought = worth * sum(hand) / power if power else 0.0
        value = tally.score() + idle + bought + _estimate_combinations(gems[seat], left)
        prospects.append(value + silver * (seat == state.leader))
    return prospects


def _estimate_combinations(owned: Sequence[str], left: Sequence[str]) -> float:
    """Estimate the worth of combinations that are begun and can still be completed."""
    value = 0.0
    for gems, points in COMBINATIONS:
        mine = [gem for gem in gems if gem in owned]
        if mine and len(mine) < len(gems) and all(gem in owned or gem in left for gem in gems):
            value += BEGUN * points * (len(mine) / len(gems)) ** 2
    return value
