"""The two refusals that every game makes before its own rules."""

from __future__ import annotations

from games.contract import IllegalMove, Seat


def expect_running(*, is_over: bool) -> None:
    """Raise IllegalMove (`over`) if the match is over."""
    if is_over:
        raise IllegalMove("over", "This match is over. Nothing more can be played.")


def expect_turn(seat: Seat, turn: Seat, *, is_over: bool) -> None:
    """Raise IllegalMove (`over`, `not-your-turn`) unless the match runs and waits for this seat."""
    expect_running(is_over=is_over)
    if seat != turn:
        raise IllegalMove("not-your-turn", "It is not your turn. Wait until you are asked.")
