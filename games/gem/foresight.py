"""Tells why a move of a GEM plan cannot become possible before the auction, or the day's investments, are over."""

from __future__ import annotations

from games.contract import IllegalMove, Seat
from games.fields import replace
from games.foresight import other_contest
from games.gem.play import play_bid, play_invest, play_pass, play_take
from games.gem.sealed import at_turn
from games.gem.state import Bid, Invest, Keep, Move, Pass, Phase, State, Take

_LASTING = frozenset({"too-low", "too-high", "oya-must-bid", "not-open", "not-active", "not-inactive"})
"""Refusals that last until then: bids only rise, and nobody's pieces or cards change before the sale."""


def foresee(state: State, seat: Seat, move: Move, is_next: bool) -> IllegalMove | None:
    """See `Game.foresee`."""
    is_auction = state.phase in (Phase.BID, Phase.TAKE)
    if state.phase is Phase.OVER or is_auction == isinstance(move, Invest | Keep):
        return other_contest()
    met = (
        at_turn(state, seat) if isinstance(move, Bid | Pass | Invest | Keep) else _after_winning(state, seat)
    )
    if met is None:
        return other_contest()
    try:
        _play(met, move)
    except IllegalMove as error:
        return error if error.code in _LASTING else None
    return None


def _after_winning(state: State, seat: Seat) -> State | None:
    if state.phase is Phase.TAKE and seat != state.turn:
        return None
    return replace(state, phase=Phase.TAKE, turn=seat, calls=state.calls or (0,))


def _play(state: State, move: Move) -> None:
    match move:
        case Bid(amount):
            play_bid(state, amount)
        case Pass():
            play_pass(state)
        case Take(card, pay):
            play_take(state, card, pay)
        case Invest(cards, pay):
            play_invest(state, cards, pay)
        case Keep():
            return
