"""Jewellers at sealed pace: the present auction as each bidder will meet it (RULES.md, paragraph 24)."""

from __future__ import annotations

from games.contract import Limit, Seat
from games.fields import replace
from games.jewellers.state import Phase, State, highest_total, must_open, takes_part


def ask_limit(state: State, seat: Seat) -> Limit:
    """Ask for the highest total to which the bidder goes; it bids as little as possible, and passes above that."""
    down = sum(state.table[seat])
    return Limit(down + min(state.hands[seat], default=0), highest_total(state, seat), "up to # else pass")


def read_bid(text: str) -> int | None:
    """The total of the cards that a bid in notation adds, or its limit; None for any other move."""
    kind, *rest = text.split()
    if kind == "up":
        return int(rest[-1])
    return sum(map(int, rest)) if kind == "bid" else None


def at_turn(state: State, seat: Seat) -> State | None:
    """The auction when the starter has opened with the lowest card, if that is due; None after the seat's pass."""
    if state.phase is not Phase.BID or seat in state.passed or not takes_part(state, seat):
        return None
    if seat == state.turn or not must_open(state, state.turn):
        return replace(state, turn=seat)
    lowest, *rest = state.hands[state.turn]
    return replace(
        state,
        hands=_put(state.hands, state.turn, tuple(rest)),
        table=_put(state.table, state.turn, (lowest,)),
        leader=state.turn,
        turn=seat,
    )


def _put(
    cards: tuple[tuple[int, ...], ...], seat: Seat, value: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    return (*cards[:seat], value, *cards[seat + 1 :])
