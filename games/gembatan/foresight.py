"""Gembatan: why a move of a plan cannot become possible at the seat's next turn."""

from __future__ import annotations

from dataclasses import replace

from games.chance import Chance
from games.contract import IllegalMove, Seat
from games.gembatan.rules import RULES
from games.gembatan.state import Move, State

_LASTING = frozenset({"not-in-hand", "taken", "filled", "facing"})
"""Refusals that hold until then: hands change in their own turns only, and what lies stays."""


def foresee(state: State, seat: Seat, move: Move, is_next: bool) -> IllegalMove | None:
    """As `Game.foresee`; a later line of a plan meets another hand."""
    try:
        RULES.apply(replace(state, turn=seat), seat, move, Chance("", "plan"))
    except IllegalMove as error:
        return error if is_next and error.code in _LASTING else None
    return None
