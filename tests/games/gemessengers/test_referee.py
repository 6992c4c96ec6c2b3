"""Whole random matches held against the referee's independent bookkeeping, ply by ply."""

from __future__ import annotations

from collections import Counter

import pytest

from games.chance import Chance
from games.contract import IllegalMove
from games.gemessengers.rules import RULES
from games.gemessengers.state import State
from tests.games.gemessengers.referee import Referee


def assert_same(state: State, referee: Referee) -> None:
    assert RULES.waiting_on(state) == referee.waiting()
    assert list(RULES.standing(state)) == referee.standing()
    if referee.over:
        assert RULES.outcome(state) is not None
        return
    assert RULES.context(state) == f"round {referee.round + 1} turn {referee.turn}"
    assert [Counter(hand) for hand in state.hands] == [Counter(hand) for hand in referee.hands]
    assert list(state.pile) == referee.pile
    assert [list(row) for row in state.guild] == referee.guild
    assert list(state.tokens) == referee.tokens
    assert list(state.taken) == referee.taken
    for workshop, heights in zip(state.workshops, referee.heights, strict=True):
        assert [list(row) for row in workshop] == [heights[height] for height in sorted(heights)]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12))
def test_whole_matches_agree_with_the_referee(number: int) -> None:
    seats = 2 + number % 4
    dice = Chance(f"referee {number}", "players")
    state = RULES.deal(seats=seats, options={}, chance=Chance(f"referee {number}", "deal"))
    referee = Referee(RULES.write_deal(state), seats)
    asked = 0
    while RULES.waiting_on(state):
        for seat in range(seats):
            assert {RULES.write(move) for move in RULES.legal_moves(state, seat)} == referee.legal(seat)
        changing = [seat for seat in range(seats) if state.sealed.of(seat)]
        may_move = changing if changing and dice.below(4) == 0 else sorted(RULES.waiting_on(state))
        seat = may_move[dice.below(len(may_move))]
        asked += seat in RULES.waiting_on(state)
        text = RULES.write(RULES.random_move(state, seat, dice))
        state = RULES.apply(state, seat, RULES.parse(state, seat, text), dice).state
        referee.play(seat, text)
        assert_same(state, referee)
    assert asked <= RULES.meta.max_plies


def test_every_text_of_a_pick_is_accepted_or_refused_as_the_referee_says() -> None:
    """Not only what is listed as legal: everything that can be written, also from others' hands."""
    dice = Chance("all texts", "players")
    state = RULES.deal(seats=3, options={}, chance=Chance("all texts", "deal"))
    referee = Referee(RULES.write_deal(state), 3)
    spots = ("", "above", "below", "row 1", "row 2", "row 3")
    rows = ("headstone", "decoration", "base")
    texts = [f"play {gem} {spot}".strip() for gem in ("ruby", "citrine") for spot in spots]
    texts += [f"proclaim {suit} {one} {two}" for suit in ("ruby", "topaz") for one in rows for two in rows]
    refused = 0
    while RULES.waiting_on(state):
        for seat in range(3):
            legal = referee.legal(seat)
            for text in texts:
                try:
                    RULES.apply(state, seat, RULES.parse(state, seat, text), dice)
                except IllegalMove:
                    refused += 1
                    assert text not in legal
                else:
                    assert text in legal
        seat = min(RULES.waiting_on(state))
        move = RULES.random_move(state, seat, dice)
        state = RULES.apply(state, seat, move, dice).state
        referee.play(seat, RULES.write(move))
    assert refused > 1000
