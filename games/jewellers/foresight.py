"""Tells why a move of a Jewellers plan cannot become possible before the gem is sold."""

from __future__ import annotations

from games.contract import IllegalMove, Seat
from games.foresight import other_contest
from games.jewellers.play import play_bid, play_draw, play_pass, play_up_to
from games.jewellers.sealed import at_turn
from games.jewellers.state import Bid, Draw, Move, Pass, Phase, Place, State, Stay, UpTo, leading_total

_LASTING = frozenset({"not-in-hand"})
"""The refusal that lasts for later bids too; a bid that is too low now may be enough with cards put down later."""


def foresee(state: State, seat: Seat, move: Move, is_next: bool) -> IllegalMove | None:
    """See `Game.foresee`."""
    is_silver = isinstance(move, Place | Stay)
    if state.phase in (Phase.PLACE, Phase.MOVE):
        return None if is_silver else other_contest()
    if is_silver or state.phase is Phase.OVER:
        return other_contest()
    if isinstance(move, Draw):
        return _foresee_draw(state, seat, move)
    if state.phase is Phase.DRAW:
        return _foresee_bid(state, seat, move)
    met = at_turn(state, seat)
    if met is None:
        return other_contest()
    try:
        _play(met, move)
    except IllegalMove as error:
        is_too_little = isinstance(move, UpTo) and move.limit <= leading_total(met)
        return error if is_next or is_too_little or error.code in _LASTING else None
    return None


def _foresee_draw(state: State, seat: Seat, move: Draw) -> IllegalMove | None:
    if state.phase is not Phase.DRAW or seat != state.turn:
        return other_contest()
    try:
        play_draw(state, move.size)
    except IllegalMove as error:
        return error
    return None


def _foresee_bid(state: State, seat: Seat, move: Move) -> IllegalMove | None:
    """Tell why a bid cannot become possible; before the gem is drawn it fails only for want of the cards."""
    hand = state.hands[seat]
    if isinstance(move, Bid) and not set(move.cards) <= set(hand):
        return IllegalMove(
            "not-in-hand",
            "Name cards that are in your hand, each one once. You have: {hand}.",
            hand=" ".join(map(str, hand)) or "-",
        )
    return None


def _play(state: State, move: Move) -> None:
    match move:
        case Bid(cards):
            play_bid(state, cards)
        case UpTo(limit):
            play_up_to(state, limit)
        case Pass():
            play_pass(state)
        case _:
            return
