"""Whether moves have shown anybody something that was hidden, and so cannot be taken back as if nothing had been."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games.chance import NO_SEED, Chance
from games.contract import GameError, Rules, Seat

SAMPLES = 12
"""Positions that are imagined for each reader. One is enough to notice; a reveal that goes unnoticed would have to come
out the same in all of them."""


@dataclass(frozen=True, slots=True)
class Ply:
    """A move that was played; `chance` is what it caused."""

    seat: Seat
    move: Any
    chance: Chance


def shows_hidden(rules: Rules[Any, Any, Any], before: Any, plies: Sequence[Ply], seats: int) -> bool:
    """Whether some reader's view after the moves depends on what that reader could not know before them.

    The moves are played again from positions that the reader could not tell from the real one. Where a move is not
    possible in one of them it tells about a hidden hand.
    """
    shown = _positions(rules, before, plies)
    for reader in (None, *range(seats)):
        views = [rules.view(state, reader) for state in shown]
        for sample in range(SAMPLES):
            chance = Chance(NO_SEED, f"hidden {reader} {sample}")
            imagined = rules.resample(before, reader, chance)
            other = [Ply(ply.seat, ply.move, chance) for ply in plies]
            try:
                if [rules.view(state, reader) for state in _positions(rules, imagined, other)] != views:
                    return True
            except GameError:
                return True
    return False


def _positions(rules: Rules[Any, Any, Any], state: Any, plies: Sequence[Ply]) -> list[Any]:
    """The position after each of the moves."""
    reached = []
    for ply in plies:
        state = rules.apply(state, ply.seat, ply.move, ply.chance).state
        reached.append(state)
    return reached
