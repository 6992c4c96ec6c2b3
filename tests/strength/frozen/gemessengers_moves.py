"""The moves that Gemessengers' normal bot compares, and the picks that it expects of the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from games.contract import Seat
from games.gemessengers.components import SUIT_NAMES
from games.gemessengers.picking import list_open_rows
from games.gemessengers.state import Move, Play, Proclaim, State, is_finished, piece_of
from games.gemessengers.workshop import count_gems, list_spots, put_gem
from tests.strength.frozen.gemessengers import estimate_gems


def suggest(state: State, seat: Seat) -> list[Move]:
    """The seat's moves, those that better its lead most at once first; a proclamation names one row only.

    Sealed picks do not count. None for a seat that has finished.
    """
    if is_finished(state.workshops[seat]):
        return []
    before = [estimate_gems(state, workshop) for workshop in state.workshops]
    values: dict[Move, float] = {}
    for move in _list_moves(state, seat):
        if isinstance(move, Play):
            workshop = put_gem(state.workshops[seat], move.gem, move.spot)
            values[move] = estimate_gems(state, workshop) - before[seat]
        else:
            values[move] = _value_proclamation(state, seat, move, before)
    return sorted(values, key=values.__getitem__, reverse=True)


def _list_moves(state: State, seat: Seat) -> Iterator[Move]:
    spots = list_spots(count_gems(state.workshops[seat]), piece_of(state).capacities)
    rows = list_open_rows(state.guild)
    for card in dict.fromkeys(state.hands[seat]):
        if card in SUIT_NAMES:
            for spot in spots:
                yield Play(card, spot)
        else:
            for row in rows:
                yield Proclaim(card[1], (row,))


def _value_proclamation(state: State, seat: Seat, move: Proclaim, before: list[float]) -> float:
    """Its token, and what the seat's gems gain by it, less what the gems of the other who gains most do."""
    row = move.rows[0]
    guild = list(state.guild)
    guild[row] = (*guild[row], move.suit)
    after = replace(state, guild=tuple(guild))
    gains = [
        estimate_gems(after, workshop) - value
        for workshop, value in zip(state.workshops, before, strict=True)
    ]
    return min(state.tokens[row], 1) + gains[seat] - max(gains[:seat] + gains[seat + 1 :])
