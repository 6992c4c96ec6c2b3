"""Tells why a move of a Gembatan plan cannot become possible at the seat's next turn."""

from __future__ import annotations

from games.chance import Chance
from games.contract import IllegalMove, Seat
from games.fields import replace
from games.gembatan.rules import RULES
from games.gembatan.state import Move, State

_LASTING = frozenset({"not-in-hand", "taken", "filled", "facing"})
"""Refusals that last until then: hands change only in their own turns, and the pieces of the lay-out stay."""


def foresee(state: State, seat: Seat, move: Move, is_next: bool) -> IllegalMove | None:
    """See `Game.foresee`; a later line of a plan meets another hand."""
    try:
        RULES.apply(replace(state, turn=seat), seat, move, Chance("", "plan"))
    except IllegalMove as error:
        return error if is_next and error.code in _LASTING else None
    return None
