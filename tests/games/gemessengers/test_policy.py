"""Gemessengers' quick player does what anybody at the table would see at once."""

from __future__ import annotations

from games.chance import Chance
from games.gemessengers.policy import choose
from games.gemessengers.rules import RULES
from games.gemessengers.state import State
from tests.games.gemessengers.positions import deal, with_workshops


def decide(state: State) -> str:
    """The policy's move for seat A, in notation."""
    return RULES.write(choose(state, 0, Chance("s", "policy")))


def test_three_rubies_at_the_base_are_proclaimed_there() -> None:
    """Each gains three points; the other rows come behind, for the case that the base fills up."""
    state = with_workshops(deal("*R A A C C D", "A C D E S T"), "R R R", "A")
    assert decide(state).startswith("proclaim ruby base ")


def test_nobody_proclaims_what_the_others_gain_most_by() -> None:
    """The rubies are the other's; a gem of one's own does more."""
    state = with_workshops(deal("*R A A C C D", "A C D E S T"), "A", "R R R")
    assert not decide(state).startswith("proclaim ruby base")


def test_of_gems_that_fit_the_one_like_its_neighbours_is_taken() -> None:
    """Only the base has room; its proclamation may still come."""
    state = with_workshops(deal("S A C D E T", "A C D E S T"), "A / R R / S S", "A")
    assert decide(state) == "play sapphire row 3"
