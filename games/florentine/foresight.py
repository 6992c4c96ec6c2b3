"""Tells why a move of a Florentine plan cannot become possible at the seat's next turn."""

from __future__ import annotations

from games.chance import Chance
from games.contract import IllegalMove, Seat
from games.fields import replace
from games.florentine.rules import RULES
from games.florentine.state import Move, State

_LASTING = frozenset({"not-in-hand", "occupied", "same-facing", "not-your-colour"})
"""Refusals that last until then: a hand changes only in its own turns, and a card on the square stays."""


def foresee(state: State, seat: Seat, move: Move, is_next: bool) -> IllegalMove | None:
    """See `Game.foresee`; a later line of a plan meets another hand."""
    try:
        RULES.apply(replace(state, turn=seat), seat, move, Chance("", "plan"))
    except IllegalMove as error:
        if not is_next or error.code not in _LASTING:
            return None
        # When the pile runs out, the hands come into the pool, and cards of others can be placed.
        is_pool_near = len(state.pile) <= len(state.hands)
        return None if error.code == "not-in-hand" and is_pool_near else error
    return None
