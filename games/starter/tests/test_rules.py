"""The rules of Nim by their paragraphs; the shared tests (`--game`) try what every game must do."""

from __future__ import annotations

import pytest
from nim.game import GAME

from games.contract import IllegalMove, InvalidMove
from games.match import Match


def begin(*texts: str) -> Match:
    match = Match.new(GAME, seed="tests of nim")
    for text in texts:
        match.play(text)
    return match


def test_one_takes_from_one_heap_as_much_as_there_is() -> None:
    """RULES.md, paragraph 2."""
    match = begin("take 2 from 1")
    assert match.state.heaps == (1, 4, 5)
    assert "take 2 from 1" not in match.legal()
    with pytest.raises(InvalidMove):
        match.play("take 2 from 1")
    with pytest.raises(IllegalMove):
        match.play("take 1 from 1", seat=1 - (match.turn or 0))


def test_whoever_takes_the_last_stone_wins() -> None:
    """RULES.md, paragraph 3."""
    match = begin("take 3 from 1", "take 4 from 2")
    winner = match.turn
    match.play("take 5 from 3")
    assert match.is_over
    assert match.scores[winner or 0] == 1
    assert match.ranks[winner or 0] == 1


# TODO: a test for every paragraph of your rules, with the examples that stand there.
