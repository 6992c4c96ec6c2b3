"""GEM at sealed pace: the present contest as each bidder will meet it (RULES.md, paragraph 26)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from games.contract import Limit, Seat
from games.fields import replace
from games.gem import notation
from games.gem.payment import worth
from games.gem.state import Bid, Move, Pass, Phase, State, leading_bid
from games.reading import fold, lower

_UP_TO = re.compile(r"(?:bid )?up to ([0-9]{1,6})\.?")


def at_turn(state: State, seat: Seat) -> State | None:
    """The auction with no bid above the Oya's lowest, or the investments as they are; None after the seat's turn."""
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
    """Read the move that is ordered; the Oya's pass reads as a bid of 0. Raises InvalidMove or AmbiguousMove."""
    move = notation.parse(state, seat, text)
    opens = state.phase is Phase.BID and seat == state.oya and not state.calls
    return Bid(0) if opens and isinstance(move, Pass) else move


def ask_limit(state: State, seat: Seat) -> Limit | None:
    """Ask for the highest bid, made as low as it can be; nothing of the Oya, who bids once and first."""
    met = at_turn(state, seat) if state.phase is Phase.BID else None
    if met is None or not met.calls:
        return None
    lowest, highest = leading_bid(met.calls) + 1, worth(state.active[seat])
    return Limit(lowest, highest, "up to # else pass") if lowest <= highest else None


def read_bid(text: str) -> int | None:
    """The amount of a bid in notation; None for any other move."""
    word, _, amount = text.partition(" ")
    return int(amount) if word == "bid" else None


def spell_out(state: State, seat: Seat, text: str) -> Sequence[str]:
    """Expand `up to 5` or `bid up to 5` into bids, the lowest first; everything else stays as it was typed.

    Everybody bids once in GEM. The seat to act bids one more than the leading bid; an order has every bid that may be
    needed. The Oya opens and is asked no second time, and so bids the limit itself.
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
    """Count the places clockwise from `start` to the seat."""
    return (seat - start) % len(state.active)
