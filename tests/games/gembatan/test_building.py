"""Moves that are built piece by piece."""

from __future__ import annotations

import gettext

import pytest

from games.contract import GameError
from games.gembatan.rules import RULES
from games.gembatan.state import State
from tests.games.gembatan.positions import set_up

TR = gettext.NullTranslations()


def list_choices(state: State, partial: str) -> list[tuple[str, str, bool]]:
    return [
        (choice.text, choice.label.text(TR), choice.complete)
        for choice in RULES.steps(state, state.turn, partial)
    ]


STATE = set_up("RB-- 0,0 N; R-Y- 1,1 N", hands=("BGBG BG BY", "RB"), gem_tray="YO", tile_tray="RP--")


def test_a_tile_step_is_chosen_tile_cell_facing_gem() -> None:
    assert list_choices(STATE, "") == [
        ("play BGBG", "Tile BGBG", False),
        ("trade", "Trade gems or tiles", False),
    ]
    assert list_choices(STATE, "play BGBG") == [
        ("play BGBG 1,0", "at 1,0", False),
    ]
    assert list_choices(STATE, "play BGBG 1,0") == [
        ("play BGBG 1,0 N", "facing north (B G B G)", False),
    ]
    assert list_choices(STATE, "play BGBG 1,0 N") == [
        ("play BGBG 1,0 N gem BG W", "Gem BG on its west side (this turn: 1)", True),
        ("play BGBG 1,0 N gem BY N", "Gem BY on its north side (this turn: 1)", True),
    ]


def test_a_complete_step_can_be_followed_by_another() -> None:
    tile = "play BGBG 1,0 N gem BG W"
    assert list_choices(STATE, tile) == [(f"{tile} + gem BY", "Gem BY into an empty socket", False)]
    assert list_choices(STATE, f"{tile} + gem BY") == [
        (f"{tile} + gem BY 1,0 N", "Gem BY on the north side of 1,0 (this turn: 2)", True)
    ]
    assert list_choices(STATE, f"{tile} + gem BY 1,0 N") == []


def test_a_trade_is_chosen_piece_by_piece() -> None:
    assert list_choices(STATE, "trade") == [
        ("trade gems BG", "Set gem BG aside", True),
        ("trade gems BY", "Set gem BY aside", True),
        ("trade tiles BGBG", "Set tile BGBG aside", True),
    ]
    assert list_choices(STATE, "trade gems BY") == [("trade gems BY tiles BGBG", "Set tile BGBG aside", True)]
    assert list_choices(STATE, "trade tiles BGBG") == []


def test_a_pass_is_offered_only_when_nothing_else_is() -> None:
    assert list_choices(set_up(hands=("YO", "YO")), "") == [("pass", "Pass", True)]


@pytest.mark.parametrize(
    "partial", ["play RB--", "play BGBG 5,5", "nonsense", "gem BG 3,3 N + play", "pass + gem"]
)
def test_what_is_no_beginning_of_a_move_is_refused(partial: str) -> None:
    with pytest.raises(GameError):
        RULES.steps(STATE, 0, partial)


def test_nothing_is_offered_out_of_turn() -> None:
    assert list(RULES.steps(STATE, 1, "")) == []


def test_two_positions_that_are_asked_in_turn_keep_their_own_choices() -> None:
    other = set_up("RB-- 0,0 N; R-Y- 1,1 N", hands=("BGBG BY BY", "RB"), gem_tray="YO", tile_tray="RP--")
    partials = ["", "play BGBG", "play BGBG 1,0 N", "trade"]
    apart = {
        place: [list_choices(state, text) for text in partials] for place, state in enumerate((STATE, other))
    }
    in_turn = [(list_choices(STATE, text), list_choices(other, text)) for text in partials]
    assert in_turn == list(zip(apart[0], apart[1], strict=True))
    assert apart[0] != apart[1]
