"""Computer players of every level find their way in a game, and know no more than their seat."""

from __future__ import annotations

from math import isfinite

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


def test_an_open_position_hides_nothing_and_its_moves_are_legal(case: Case) -> None:
    """Redrawn for any seat it stays the same."""
    rules, game = case.rules, case.game
    if game.is_open is None:
        return
    for played in play_match(case):
        if game.is_open(played.before):
            for seat in rules.waiting_on(played.before):
                assert rules.resample(played.before, seat, Chance(case.seed, "redraw")) == played.before
                for move in game.rank_moves(played.before, seat) if game.rank_moves else ():
                    rules.apply(played.before, seat, move, Chance(*played.chance))


def test_an_evaluation_is_a_number(case: Case) -> None:
    """Of moves after which it is `nan` or endless none is the best."""
    evaluate = case.game.evaluate
    if evaluate is None:
        return
    for played in play_match(case)[::3]:
        value = evaluate(played.before, played.seat)
        is_number = isinstance(value, int | float) and isfinite(value)
        assert is_number, (
            f"ply {played.ply}: `evaluate` gives {value!r}, which is no number that can be compared"
        )


@pytest.mark.parametrize("name", ["policy", "deep_policy"])
def test_a_policy_moves_legally_and_knows_no_more_than_its_seat(case: Case, name: str) -> None:
    """In two positions that its seat cannot tell apart the same chance gives the same move."""
    rules, policy = case.rules, getattr(case.game, name)
    if policy is None:
        return
    for played in play_match(case)[::3]:
        for seat in rules.waiting_on(played.before):
            move = policy(played.before, seat, Chance(case.seed, "policy"))
            rules.apply(played.before, seat, move, Chance(*played.chance))
            for redraw in range(3):
                other = rules.resample(played.before, seat, Chance(case.seed, f"redraw {redraw}"))
                assert policy(other, seat, Chance(case.seed, "policy")) == move
