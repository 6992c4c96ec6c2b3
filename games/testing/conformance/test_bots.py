"""Computer players of every level find their way in a game, and know no more than their seat."""

from __future__ import annotations

import pytest

from games import bots
from games.chance import Chance
from games.testing.cases import Case, play_match

FEW = 6
"""Simulations for one move: enough to run every line, cheap enough for every game."""


@pytest.mark.parametrize("level", bots.LEVELS)
def test_a_bot_finds_a_legal_move_anywhere(case: Case, level: str) -> None:
    rules = case.rules
    match = play_match(case)
    for played in match[:: max(1, len(match) // 3)]:
        for seat in rules.waiting_on(played.before):
            move = bots.choose(level, case.game, played.before, seat, Chance(case.seed, "bot"), FEW)
            rules.apply(played.before, seat, move, Chance(*played.chance))
