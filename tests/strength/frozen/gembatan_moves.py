"""The moves that Gembatan's normal bot compares; the easy one looks at plays drawn at random."""

from __future__ import annotations

from games.contract import Seat
from games.gembatan.components import HAND
from games.gembatan.notation import write_step
from games.gembatan.state import GemStep, Move, Pass, Play, State, Steps, TileStep
from games.gembatan.trades import can_trade, choose_trade
from games.gembatan.turn import Turn, begin_turn, list_steps, value_step

WIDTH = 64
"""So many beginnings of a play, those that are worth most, are gone on from; there are seldom more."""
PLAYS = 8
"""So many plays are suggested."""


def suggest(state: State, seat: Seat) -> list[Move]:
    """The plays that score most, the best first, and the default trade."""
    found: list[tuple[int, Steps]] = []
    begun: list[tuple[Turn, Steps]] = [(begin_turn(state, seat), ())]
    for _ in range(HAND):
        longer = _go_on(begun)
        found += [(points, steps) for points, steps, _ in longer]
        begun = [(turn.make(steps[-1]), steps) for _, steps, turn in longer]
    found.sort(key=lambda play: -play[0])
    moves: list[Move] = [Play(steps) for _, steps in found[:PLAYS]]
    if can_trade(state):
        moves.append(choose_trade(state))
    return moves or [Pass()]


def _go_on(begun: list[tuple[Turn, Steps]]) -> list[tuple[int, Steps, Turn]]:
    """The best plays that are one step longer: points, steps, the turn before the last of them.

    The same steps in another order come to the same and are looked at once.
    """
    longer: dict[frozenset[TileStep | GemStep], tuple[int, Steps, Turn]] = {}
    for turn, made in begun:
        for step in list_steps(turn):
            steps = (*made, step)
            longer.setdefault(frozenset(steps), (value_step(turn, step), steps, turn))
    return sorted(longer.values(), key=lambda play: (-play[0], [write_step(step) for step in play[1]]))[
        :WIDTH
    ]
