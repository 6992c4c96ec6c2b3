"""Finds out whether moves have shown anybody something that was hidden, and so can no longer be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games.chance import NO_SEED, Chance
from games.contract import GameError, Rules, Seat

SAMPLES = 12
"""Positions that are imagined for each reader. One that differs is enough; to go unnoticed, a reveal would have to
come out the same in all of them."""


@dataclass(frozen=True, slots=True)
class Ply:
    """A move that was played, with the chance that it was played with."""

    seat: Seat
    move: Any
    chance: Chance


def shows_hidden(rules: Rules[Any, Any, Any], before: Any, plies: Sequence[Ply], seats: int) -> bool:
    """Return whether some reader's view after the moves depends on what that reader could not know before them.

    The moves are played again from positions that the reader could not tell from the real one. Where a move is not
    possible in one of them it tells about a hidden hand.

    >>> from games.match import Match
    >>> match = Match.new("jewellers", seats=3, seed="example")
    >>> def shows(text):
    ...     move = match.game.rules.parse(match.state, match.turn, text)
    ...     return shows_hidden(match.game.rules, match.state, [Ply(match.turn, move, Chance("example", "ply 1"))], 3)
    >>> shows("draw medium")
    True
    """
    shown = _positions(rules, before, plies)
    unhidden: dict[int, list[Any]] = {}
    """The positions by sample that follow for every reader from whom nothing was hidden."""
    for reader in (None, *range(seats)):
        views = [rules.view(state, reader) for state in shown]
        for sample in range(SAMPLES):
            chance = Chance(NO_SEED, f"hidden {reader} {sample}")
            imagined = rules.resample(before, reader, chance)
            other = [Ply(ply.seat, ply.move, chance) for ply in plies]
            try:
                if imagined != before:
                    reached = _positions(rules, imagined, other)
                else:
                    reached = unhidden[sample] = unhidden.get(sample) or _positions(rules, before, other)
                if [rules.view(state, reader) for state in reached] != views:
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
