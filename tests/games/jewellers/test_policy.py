"""The quick player of Jewellers does what anybody at the table would see at once."""

from __future__ import annotations

from dataclasses import replace

from games.chance import Chance
from games.jewellers.components import TOUCHED
from games.jewellers.policy import choose, choose_in_doubt
from games.jewellers.rules import RULES
from games.jewellers.state import State
from tests.games.jewellers.positions import first_position, last_gem, play, with_hands, with_sales


def decide(state: State) -> str:
    """The policy's move for the seat to act, in notation."""
    return RULES.write(choose(state, state.turn, Chance("s", "policy")))


def test_who_bids_alone_spends_one_card() -> None:
    state = play(last_gem(2, "Ll", "3 4 10", ""), "draw large")
    assert decide(state).count(" ") == 1


def test_for_the_last_gem_only_the_number_of_cards_counts() -> None:
    """Cards that are left are a point each, whatever their number: 10 beats 9 more cheaply than 3 and 7."""
    state = play(last_gem(2, "Ll", "2 9", "3 7 10"), "draw large", "bid 9")
    assert decide(state) == "bid 10"


def test_nobody_spends_more_cards_than_the_gem_is_worth() -> None:
    """The small sapphire brings 3, and four cards would be needed for it."""
    state = play(last_gem(2, "Ss", "3 9", "2 3 4 5"), "draw small", "bid 3 9")
    assert decide(state) == "pass"


def test_a_gem_that_completes_a_set_is_worth_more() -> None:
    """With the other two lilies the last one brings five more."""
    state = with_hands(first_position(2), "4 5 6 7", "2 3 4 5 6 7 8")
    state = replace(state, bag=(("S",), ("S",), ("L",)))
    owner = with_sales(state, "", "Ls Lm")
    plain = with_sales(state, "", "Em Pm")
    moves = [decide(play(position, "draw large", "bid 4 5 6 7")) for position in (owner, plain)]
    assert moves[0] != "pass"
    assert moves[1] == "pass"


def test_in_playouts_the_small_sapphire_seems_worth_four_cards_to_some() -> None:
    state = play(last_gem(2, "Ss", "3 9", "2 3 4 5"), "draw small", "bid 3 9")
    moves = {RULES.write(choose_in_doubt(state, state.turn, Chance("s", f"doubt {n}"))) for n in range(200)}
    assert moves == {"pass", "bid 2 3 4 5"}


def test_silver_goes_where_gems_are_still_to_come() -> None:
    state = first_position(2, options={"silver": "yes"})
    placed = RULES.apply(state, 0, choose(state, 0, Chance("s", "policy")), Chance("s", "ply 1")).state
    assert placed.tower
    assert len(TOUCHED[placed.tower]) == max(map(len, TOUCHED.values()))
