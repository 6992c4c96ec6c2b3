"""Random matches of the games of the house, shared by many tests, and short sequences of moves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from games.chance import NO_SEED, Chance
from games.contract import Event
from games.registry import OWN
from games.testing.cases import (
    AnyRules,
    Case,
    Played,
    deal,
    list_cases,
    list_moves,
    list_positions,
    may_change,
    play_match,
)

__all__ = [
    "CASES",
    "AnyRules",
    "Case",
    "Played",
    "count_sequences",
    "deal",
    "each_case",
    "each_game",
    "list_moves",
    "list_positions",
    "may_change",
    "play_match",
    "play_texts",
]

CASES = [case for case in list_cases() if case.slug in OWN]

each_case = pytest.mark.parametrize("case", CASES, ids=str)
each_game = pytest.mark.parametrize("slug", OWN)


def play_texts(rules: AnyRules, state: Any, texts: Iterable[str]) -> tuple[Any, list[Event]]:
    """The position after these moves, each by the seat whose turn it is, and everything that happened."""
    events: list[Event] = []
    for text in texts:
        move = rules.parse(state, state.turn, text)
        step = rules.apply(state, state.turn, move, Chance(NO_SEED, "ply 1"))
        state = step.state
        events += step.events
    return state, events


def count_sequences(rules: AnyRules, state: Any, depth: int) -> int:
    """Count the sequences of `depth` legal moves that begin here."""
    if depth == 0:
        return 1
    total = 0
    for seat in rules.waiting_on(state):
        for move in rules.legal_moves(state, seat):
            step = rules.apply(state, seat, move, Chance(NO_SEED, "ply 1"))
            total += count_sequences(rules, step.state, depth - 1)
    return total
