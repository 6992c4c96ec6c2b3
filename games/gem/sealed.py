"""GEM at sealed pace: how a bidder will meet the present contest (RULES.md, paragraph 26)."""

from __future__ import annotations

from dataclasses import replace

from games.contract import Seat
from games.gem import notation
from games.gem.state import Bid, Move, Pass, Phase, State


def at_turn(state: State, seat: Seat) -> State | None:
    """The auction with nobody's bid above the Oya's lowest, or the investments as they are; None after its turn."""
    match state.phase:
        case Phase.BID:
            place = _distance(state, state.oya, seat)
            if place < len(state.calls):
                return None
            opened = state.calls or ((0,) if place else ())
            calls = (*opened, *[None] * (place - len(opened)))
            return replace(state, calls=calls, turn=seat)
        case Phase.INVEST:
            assert state.buyer is not None
            if _distance(state, state.buyer, seat) < _distance(state, state.buyer, state.turn):
                return None
            return replace(state, turn=seat)
        case _:
            return None


def read(state: State, seat: Seat, text: str) -> Move:
    """The move ordered; the Oya's pass reads as a bid of 0. Raises InvalidMove or AmbiguousMove."""
    move = notation.parse(state, seat, text)
    opens = state.phase is Phase.BID and seat == state.oya and not state.calls
    return Bid(0) if opens and isinstance(move, Pass) else move


def _distance(state: State, start: Seat, seat: Seat) -> int:
    """How many places clockwise the seat is from `start`."""
    return (seat - start) % len(state.active)
