"""The number of ways to play the first plies of two deals: any slip in legality changes these numbers."""

from __future__ import annotations

import pytest

from games.chance import NO_SEED, Chance
from games.gemessengers.rules import RULES
from games.gemessengers.state import State
from tests.games.gemessengers.positions import deal, play


def count_lines(state: State, plies: int) -> int:
    """Count sequences of `plies` picks; each time the first seat that is waited for picks."""
    seat = min(RULES.waiting_on(state))
    moves = list(RULES.legal_moves(state, seat))
    if plies == 1:
        return len(moves)
    chance = Chance(NO_SEED, "ply 1")
    return sum(count_lines(RULES.apply(state, seat, move, chance).state, plies - 1) for move in moves)


@pytest.mark.parametrize(("plies", "lines"), [(1, 6), (2, 6), (3, 36), (4, 558), (5, 8976)])
def test_from_a_deal_of_gems(plies: int, lines: int) -> None:
    """By hand: six gems, one; then topaz or the amethyst drawn, each in three places (36); then the five cards that A
    has passed on and an amethyst in three places: 36 / 6 * 3 * (6 + 5 * 5) = 558."""
    assert count_lines(deal("A C D E R S", "T T T T T T"), plies) == lines


@pytest.mark.parametrize(("plies", "lines"), [(1, 16), (2, 672), (3, 24192)])
def test_from_the_third_turn_with_proclamations(plies: int, lines: int) -> None:
    state = deal("A C *D E R *S", "T T *E E A A", "D D *A *C R R")
    state = play(state, "A play ruby", "B proclaim emerald base", "C play ruby")
    state = play(state, "A play diamond above", "B play emerald", "C play topaz row 1")
    assert count_lines(state, plies) == lines
