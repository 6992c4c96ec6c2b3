"""A cheap guess of how a seat of Gembatan stands, for the bots."""

from __future__ import annotations

from games.contract import Seat
from games.gembatan.scoring import count_points
from games.gembatan.state import State
from games.gembatan.turn import Turn, begin_turn, list_steps, value_step

NEXT = 0.8
"""The worth of the next play of the seat to act, relative to points that are scored already."""
LATER = 0.4
"""Like `NEXT`, for the other seats: until their turn the lay-out changes."""


def evaluate(state: State, seat: Seat) -> float:
    """The seat's lead over the others in the mean, in points, with a share of what every seat could score now.

    All hands lie open. Over the mean, not over the best: a place counts whoever is left behind.
    """
    prospects = [float(points) for points in count_points(state)]
    if not state.is_over:
        for other in range(len(prospects)):
            share = NEXT if other == state.turn else LATER
            prospects[other] += share * estimate_play(begin_turn(state, other))
    return prospects[seat] - (sum(prospects) - prospects[seat]) / (len(prospects) - 1)


def estimate_play(turn: Turn) -> int:
    """Estimate the score of a play that always goes on with the best step."""
    best = 0
    while steps := list(list_steps(turn)):
        values = [value_step(turn, step) for step in steps]
        best = max(values)
        turn = turn.make(steps[values.index(best)])
    return best
