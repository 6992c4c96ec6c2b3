"""Whose turn it is: two refusals that every game makes before its own rules, and the move without a choice."""

from __future__ import annotations

from itertools import islice
from typing import Any, TypeVar

from games.contract import IllegalMove, Rules, Seat

S = TypeVar("S")
M = TypeVar("M")


def expect_running(*, is_over: bool) -> None:
    """Raise IllegalMove (`over`) if the match is over."""
    if is_over:
        raise IllegalMove("over", "This match is over. Nothing more can be played.")


def expect_turn(seat: Seat, turn: Seat, *, is_over: bool) -> None:
    """Raise IllegalMove (`over`, `not-your-turn`) unless the match runs and waits for this seat."""
    expect_running(is_over=is_over)
    if seat != turn:
        raise IllegalMove("not-your-turn", "It is not your turn. Wait until you are asked.")


def find_only_move(rules: Rules[S, M, Any], state: S, seat: Seat) -> tuple[Seat, M] | None:
    """Find the only legal move of this seat, as for `Rules.forced_move`; None where it has a choice or no move."""
    moves = list(islice(rules.legal_moves(state, seat), 2))
    return (seat, moves[0]) if len(moves) == 1 else None
