"""GEM at sealed pace: how a bidder will meet the present contest (RULES.md, paragraph 26)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from games.contract import Seat
from games.gem import notation
from games.gem.payment import worth
from games.gem.state import Bid, Move, Pass, Phase, State, leading_bid
from games.reading import fold, lower

_UP_TO = re.compile(r"(?:bid )?up to ([0-9]{1,6})\.?")


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


def spell_out(state: State, seat: Seat, text: str) -> Sequence[str]:
    """The bids that `up to 5` or `bid up to 5` is short for, the lowest first; everything else as it was typed.

    Everybody bids once in GEM: whose turn it is bids one more than the leading bid, an order has all that it may take.
    The Oya, whom nobody has outbid yet and who is asked no second time, bids the limit itself.
    """
    found = _UP_TO.fullmatch(lower(fold(text)))
    met = at_turn(state, seat) if state.phase is Phase.BID else None
    if not found or met is None:
        return (text,)
    limit, lowest = int(found[1]), leading_bid(met.calls) + 1
    if not met.calls:
        return (notation.write(Bid(limit)),)
    if seat == state.turn:
        return (notation.write(Bid(min(lowest, limit))),)
    highest = min(limit, worth(state.active[seat]))
    return [notation.write(Bid(amount)) for amount in range(lowest, highest + 1)] or (f"bid {limit}",)


def _distance(state: State, start: Seat, seat: Seat) -> int:
    """How many places clockwise the seat is from `start`."""
    return (seat - start) % len(state.active)
