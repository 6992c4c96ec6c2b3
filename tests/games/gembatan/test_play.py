"""Steps that are allowed, steps that are refused, drawing (RULES.md, paragraphs 8 to 15)."""

from __future__ import annotations

import pytest

from games.chance import Chance
from games.contract import IllegalMove
from games.gembatan.grid import build_grid
from games.gembatan.rules import RULES
from games.gembatan.state import LaidGem, LaidTile, Play, State, TileStep
from tests.games.gembatan.positions import find_event, list_texts, play, set_up

TWO_SOCKETS = "RB-- 0,0 N; R-Y- 1,1 N"
"""The cell 1,0 meets blue in the west and yellow in the north."""


def refusal(state: State, text: str) -> str:
    """Return the code with which this text is refused."""
    with pytest.raises(IllegalMove) as refused:
        play(state, text)
    return refused.value.code


def test_a_tile_is_laid_with_a_gem_in_the_socket_that_it_makes() -> None:
    """Paragraph 9."""
    state = set_up(hands=("RG-- BG", "RB"), gem_tray="YO")
    after = play(state, "play RG-- 1,0 S gem BG W").state
    assert after.tiles[1:] == (LaidTile((1, 0), "RG--", "S"),)
    assert after.gems == (LaidGem((1, 0), "BG"),)
    assert after.points == (1, 0)
    assert after.turn == 1
    assert after.latest == (1, 1)


def test_a_gem_fits_only_the_two_colours_of_the_borders() -> None:
    """Paragraph 3."""
    state = set_up(hands=("RG-- BG RB", ""))
    assert refusal(state, "play RG-- 1,0 S gem RB W") == "colours-differ"


def test_a_socket_of_one_colour_can_be_made_but_not_filled() -> None:
    """Paragraph 3."""
    state = set_up(TWO_SOCKETS, hands=("BGBG GY BG", ""))
    assert refusal(state, "play BGBG 1,0 E gem BG W") == "colours-differ"
    after = play(state, "play BGBG 1,0 E gem GY N").state
    assert after.points == (1, 0)
    assert refusal(state, "play BGBG 1,0 E gem GY N + gem BG 1,0 W") == "colours-differ"


def test_a_flat_side_may_not_meet_a_cutout() -> None:
    """Paragraph 10, in both directions."""
    state = set_up(hands=("R-G- BG", ""))
    assert refusal(state, "play R-G- 1,0 N gem BG W") == "cut-off"
    assert refusal(state, "play R-G- -1,0 E gem BG E") == "cut-off"
    assert play(state, "play R-G- 1,0 E gem BG W").state.points == (1, 0)


def test_a_tile_is_laid_on_an_empty_cell_next_to_the_lay_out() -> None:
    """Paragraph 9; a diagonal is not next to it."""
    state = set_up(hands=("RG-- BG", ""))
    assert refusal(state, "play RG-- 0,0 N gem BG W") == "taken"
    assert refusal(state, "play RG-- 2,0 S gem BG W") == "apart"
    assert refusal(state, "play RG-- 1,1 S gem BG W") == "apart"


def test_a_gem_goes_into_a_socket_that_the_tile_makes() -> None:
    """Paragraph 9: not to a flat side, nor where nothing lies."""
    state = set_up(hands=("RG-- BG", ""))
    assert refusal(state, "play RG-- -1,0 W gem BG E") == "no-socket"
    assert refusal(state, "play RG-- 1,0 S gem BG S") == "no-socket"
    assert refusal(state, "play RG-- 1,0 S gem BG N") == "no-socket"


def test_pieces_are_played_from_the_hand_and_once() -> None:
    """Paragraph 13."""
    state = set_up("RBRB 0,0 N", hands=("RG-- BG BG", ""), tile_tray="RG-- BG--")
    assert refusal(state, "play BG-- 1,0 S gem BG W") == "not-in-hand"
    assert refusal(state, "play RG-- 1,0 S gem RB W") == "not-in-hand"
    assert refusal(state, "play RG-- 1,0 S gem BG W + play RG-- 1,-1 N gem BG N") == "not-in-hand"


def test_the_other_sockets_of_a_tile_may_stay_empty_or_be_filled_in_the_same_turn() -> None:
    """Paragraphs 9 and 12; a socket can be named from either tile."""
    state = set_up(TWO_SOCKETS, hands=("BGBG BG BY", ""))
    tile = "play BGBG 1,0 N gem BG W"
    assert play(state, tile).state.points == (1, 0)
    both = play(state, f"{tile} + gem BY 1,0 N").state
    assert both.points == (2, 0)
    assert play(state, f"{tile} + gem BY 1,1 S").state == both


def test_a_socket_is_filled_once_and_not_before_it_is_made() -> None:
    """Paragraph 12."""
    state = set_up(TWO_SOCKETS, hands=("BGBG BG BG BY", ""))
    tile = "play BGBG 1,0 N gem BG W"
    assert refusal(state, f"gem BY 1,0 N + {tile}") == "no-socket"
    assert refusal(state, f"{tile} + gem BG 0,0 E") == "filled"


def test_an_empty_socket_of_another_turn_can_be_filled_alone() -> None:
    """Paragraph 12: a turn of gem steps is a play."""
    state = set_up("RB-- 0,0 N; RG-- 1,0 S", hands=("BG", "RB"), idle=1)
    after = play(state, "gem BG 0,0 E").state
    assert after.gems == (LaidGem((1, 0), "BG"),)
    assert after.idle == 0
    assert list_texts(state) == ["gem BG 0,0 E"]


def test_every_further_tile_shares_a_side_with_one_of_this_turn() -> None:
    """Paragraph 11."""
    state = set_up("R-B- 0,0 N", hands=("RG-- BG-- RG BG", ""))
    north, south = "play BG-- 0,1 E gem RG S", "play RG-- 0,-1 W gem BG N"
    assert play(state, north).state.points == (1, 0)
    assert play(state, south).state.points == (1, 0)
    assert refusal(state, f"{north} + {south}") == "not-connected"


def test_the_side_shared_with_a_tile_of_this_turn_may_be_flat() -> None:
    """Paragraph 11: the socket may be made with another tile."""
    state = set_up("RB-- 0,0 N; R-Y- -1,0 N", hands=("BG-- BO-- RG RB", ""))
    text = "play BG-- 0,1 E gem RG S + play BO-- -1,1 S gem RB S"
    assert play(state, text).state.points == (2, 0)
    assert text in list_texts(state)


def test_a_turn_with_one_bad_step_is_refused_as_a_whole() -> None:
    """Paragraph 14."""
    state = set_up(TWO_SOCKETS, hands=("BGBG BG BY", ""))
    before = repr(state)
    assert refusal(state, "play BGBG 1,0 N gem BG W + gem BY 5,5 N") == "no-socket"
    assert repr(state) == before


def test_after_a_play_one_draws_up_to_four_of_each_from_the_front() -> None:
    """Paragraph 15."""
    state = set_up(
        hands=("RG-- YO-- YP-- GO-- BG YO YO YP", "RB"), tile_tray="PO-- RY-- BY--", gem_tray="RY RP RO"
    )
    step = play(state, "play RG-- 1,0 S gem BG W")
    assert step.state.tile_hands[0] == ("GO--", "PO--", "YO--", "YP--")
    assert step.state.gem_hands[0] == ("RY", "YO", "YO", "YP")
    assert step.state.tile_tray == ("RY--", "BY--")
    assert step.state.gem_tray == ("RP", "RO")
    assert find_event(step, "draw").data == {"gems": ("RY",), "tiles": ("PO--",)}


def test_one_draws_what_is_left_when_the_trays_run_short() -> None:
    """Paragraph 15: also more than was played, when the hand was short before."""
    state = set_up(hands=("RG-- BG", "RB"), tile_tray="PO-- RY--", gem_tray="RY")
    after = play(state, "play RG-- 1,0 S gem BG W").state
    assert after.tile_hands[0] == ("PO--", "RY--")
    assert after.gem_hands[0] == ("RY",)
    assert after.tile_tray == after.gem_tray == ()
    assert not after.is_over


def test_out_of_turn_nothing_is_accepted() -> None:
    state = set_up(hands=("RG-- BG", "RG-- BG"))
    move = RULES.parse(state, 1, "play RG-- 1,0 S gem BG W")
    with pytest.raises(IllegalMove) as refused:
        RULES.apply(state, 1, move, Chance("any", "ply 1"))
    assert refused.value.code == "not-your-turn"


def test_moves_that_no_text_says_are_refused_too() -> None:
    """Paragraph 28: a cross has two facings; a play has a step."""
    state = set_up(hands=("BGBG BG", ""))
    turned = TileStep("BGBG", (1, 0), "S", "BG", "W")
    for move, code in ((Play((turned,)), "facing"), (Play(()), "empty-play")):
        with pytest.raises(IllegalMove) as refused:
            RULES.apply(state, 0, move, Chance("any", "ply 1"))
        assert refused.value.code == code


def test_the_grid_that_a_play_leaves_is_the_one_that_its_lay_out_gives() -> None:
    """In the order of the pieces too, for a board is drawn in that order."""
    dice = Chance("garnet", "random players")
    state = RULES.deal(seats=2, options={}, chance=dice)
    while not state.is_over:
        state = RULES.apply(state, state.turn, RULES.random_move(state, state.turn, dice), dice).state
        kept = build_grid(state.tiles, state.gems)
        built = build_grid((*state.tiles,), (*state.gems,))
        assert built is not kept
        for part in ("sides", "gems", "borders", "empty_sockets"):
            assert list(getattr(kept, part).items()) == list(getattr(built, part).items())
