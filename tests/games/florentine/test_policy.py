"""Florentine's quick player does what anybody at the table would see at once."""

from __future__ import annotations

import pytest

from games.chance import Chance
from games.florentine.policy import choose
from games.florentine.rules import RULES
from games.florentine.state import Phase
from tests.games.florentine.positions import lay, position

SQUARE = lay("rrbg d4 N", "rbrg e4 W")
"""Red's room with a gem is open to d5 alone."""


@pytest.mark.parametrize(
    ("phase", "cards"), [(Phase.POOL, {"pool": "rrgg robo"}), (Phase.HANDS, {"hand": "rrgg robo"})]
)
def test_red_closes_its_room_and_blue_does_not(phase: Phase, cards: dict[str, str]) -> None:
    chosen = []
    for turn in (0, 1):
        state = position(SQUARE, phase, turn=turn, colours="rb", pile="bbgg", **cards)
        chosen.append(RULES.write(choose(state, turn, Chance("s", "policy"))))
    assert chosen[0] == "place robo d5 S"
    assert chosen[1] != "place robo d5 S"


def test_the_black_card_shuts_in_most_gems() -> None:
    """Red's only gem lies in a room that looks out of the square at one edge."""
    state = position(lay("rrbg d7 N", "rbrg e7 W"), Phase.BLACK, colours="rb")
    assert RULES.write(choose(state, 0, Chance("s", "policy"))) == "black d7 N"
