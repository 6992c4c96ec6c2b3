"""A quick player of Gembatan: the play that scores most, found among the best beginnings of plays."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from games.chance import Chance
from games.contract import Seat
from games.gembatan.components import HAND
from games.gembatan.grid import build_grid, point_of
from games.gembatan.state import (
    Codes,
    GemStep,
    LaidGem,
    LaidTile,
    Move,
    Pass,
    Play,
    Point,
    State,
    Steps,
    TileStep,
)
from games.gembatan.trades import can_trade, choose_trade, list_whole_trades
from games.gembatan.turn import Turn, list_steps, value_step

WIDTH = 64
"""So many beginnings of a play, those that are worth most, are gone on from; with 20 a player loses to this one."""
PLAYS = 24
"""So many plays are suggested: many score alike, and differ in what they leave to the others."""

_Begun: TypeAlias = tuple[int, Steps, Turn]
"""A play: its points, its steps, and the turn before the last of them."""


def choose(state: State, seat: Seat, chance: Chance) -> Move:
    """The play that scores most; a trade, or at last a pass, where there is none."""
    return suggest(state, seat)[0]


def suggest(state: State, seat: Seat) -> list[Move]:
    """The plays that score most, the best first, the default trade, and those of all gems, all tiles, or both.

    A player who compared the default trade alone took 0.35 of 60 deals from one who compared all of these.
    """
    moves: list[Move] = [*_find_plays(state.tiles, state.gems, state.tile_hands[seat], state.gem_hands[seat])]
    if can_trade(state):
        moves += dict.fromkeys([choose_trade(state), *list_whole_trades(state)])
    return moves or [Pass()]


@lru_cache(maxsize=256)
def _find_plays(
    tiles: tuple[LaidTile, ...], gems: tuple[LaidGem, ...], tile_hand: Codes, gem_hand: Codes
) -> tuple[Play, ...]:
    """The plays that score most, the best first, kept: hands lie open, so the next reply is the same in every world."""
    found: list[_Begun] = []
    begun: list[tuple[Turn, Steps]] = [(Turn(build_grid(tiles, gems), tile_hand, gem_hand), ())]
    for length in range(1, HAND + 1):
        longer = _go_on(begun)
        found += longer
        if length < HAND:
            begun = [(turn.make(steps[-1]), steps) for _, steps, turn in longer]
    found.sort(key=lambda play: -play[0])
    return tuple(Play(steps) for _, steps, _ in found[:PLAYS])


def _go_on(begun: list[tuple[Turn, Steps]]) -> list[_Begun]:
    """The best plays that are one step longer.

    The same steps in another order come to the same and are looked at once.
    """
    longer: dict[frozenset[TileStep | GemStep], _Begun] = {}
    for turn, made in begun:
        for step in list_steps(turn):
            steps = (*made, step)
            key = frozenset(steps)
            if key not in longer:
                longer[key] = (value_step(turn, step), steps, turn)
    return sorted(longer.values(), key=_order)[:WIDTH]


def _order(play: _Begun) -> tuple[int, str, Point, str, str]:
    """Most points first; of equal plays in an order that does not depend on how the lay-out was entered."""
    points, steps, _ = play
    match steps[-1]:
        case GemStep(gem, point):
            return -points, gem, point, "", ""
        case TileStep(tile, cell, facing, gem, side):
            return -points, gem, point_of(cell, side), tile, facing
