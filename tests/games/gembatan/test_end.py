"""The end of a match, the standing, and the moves played for the absent (RULES.md, paragraphs 25 to 29)."""

from __future__ import annotations

from games.contract import Outcome
from games.gembatan import notation
from games.gembatan.rules import RULES
from games.gembatan.state import State
from tests.games.gembatan.positions import find_event, play, set_up

LAST_GEM = "play RG-- 1,0 S gem BG W"


def default_text(state: State) -> str:
    return notation.write(RULES.default_move(state, state.turn))


def test_the_match_ends_when_the_gem_tray_is_empty_and_a_hand_too() -> None:
    """Paragraphs 25 and 27: gems left cost a point each."""
    state = set_up(hands=("RG-- BG", "RB RB RO"), points=(5, 9), tile_tray="RY--")
    step = play(state, LAST_GEM)
    assert find_event(step, "over").data == {"reason": "gems", "scores": (6, 6), "ranks": (1, 1)}
    assert RULES.outcome(step.state) == Outcome((6, 6), (1, 1))
    assert RULES.waiting_on(step.state) == frozenset()


def test_it_is_looked_at_after_the_drawing() -> None:
    """Paragraph 25: the last gem of the tray is drawn first."""
    state = set_up(hands=("RG-- BG", "RB"), gem_tray="YO")
    after = play(state, LAST_GEM).state
    assert after.gem_hands[0] == ("YO",)
    assert after.gem_tray == ()
    assert not after.is_over


def test_an_empty_tile_tray_ends_nothing() -> None:
    """Paragraph 25."""
    state = set_up(hands=("RG-- BG", "RB"), gem_tray="YO RB")
    assert not play(state, LAST_GEM).state.is_over


def test_with_an_empty_gem_tray_a_whole_round_without_a_play_ends_the_match() -> None:
    """Paragraph 25: as many turns in a row as there are seats, trades of tiles and passes alike."""
    state = set_up(hands=("YO RP--", "YO RP--", "YO"), tile_tray="RY--")
    first = play(state, "trade tiles RP--").state
    second = play(first, "trade tiles RP--", ply=2).state
    assert (second.idle, second.is_over) == (2, False)
    step = play(second, "pass", ply=3)
    assert find_event(step, "over").data["reason"] == "round"
    assert RULES.standing(step.state) == (-1, -1, -1)


def test_a_play_begins_the_count_anew() -> None:
    """Paragraph 25."""
    state = set_up(hands=("YO BG RG-- RP--", "YO RP--"), tile_tray="RY-- RY-- RY-- RY--", idle=1)
    after = play(state, LAST_GEM).state
    assert (after.idle, after.is_over) == (0, False)
    assert not play(after, "trade tiles RP--", ply=2).state.is_over


def test_three_whole_rounds_without_a_play_end_the_match_with_gems_in_the_tray() -> None:
    """Paragraph 26."""
    state = set_up(hands=("YO", "YO"), gem_tray="PO PO", idle=4)
    fifth = play(state, "trade gems YO").state
    assert (fifth.idle, fifth.is_over) == (5, False)
    step = play(fifth, "trade gems YO", ply=2)
    assert find_event(step, "over").data["reason"] == "rounds"


def test_the_standing_takes_off_the_gems_in_hand_at_any_time() -> None:
    """Paragraph 27."""
    state = set_up(hands=("YO YO", "RB RB RB", ""), points=(7, 9, 4), gem_tray="PO")
    assert RULES.standing(state) == (5, 6, 4)
    assert RULES.ranks(state) == (2, 1, 3)


def test_nothing_is_a_contest() -> None:
    state = set_up(hands=("YO", "RB"), gem_tray="PO")
    assert RULES.context(state) is None
    assert RULES.bidders(state) == frozenset()


def test_for_the_absent_the_single_step_worth_most_is_played() -> None:
    """Paragraph 29: a line beats a gem alone, and steps are not joined."""
    state = set_up(
        "RB-- 0,0 N; R-G- 1,0 W; RB-- 5,0 N; RG-- 6,0 S",
        "RG 0,0 S; RY 1,0 N",
        hands=("RB BG", "RB"),
    )
    assert default_text(state) == "gem RB 0,0 E"


def test_of_steps_worth_the_same_the_first_text_is_played() -> None:
    """Paragraph 29: in ASCII order `gem` stands before `play`, and `-1,0` before `0,0`."""
    sockets = "RB-- 0,0 N; RG-- 1,0 S; R-B- -1,0 E"
    state = set_up(f"{sockets}; RG-- -2,0 N", hands=("BG RG RG--", "RB"))
    assert default_text(state) == "gem BG -2,0 E"
    assert default_text(set_up(sockets, hands=("BG RG-- RG", "RB"))) == "gem BG 0,0 E"


def test_without_a_step_the_first_gem_is_traded_then_the_first_tile() -> None:
    """Paragraph 29."""
    hands = ("YO PO RP-- R-P-", "RB")
    assert default_text(set_up(hands=hands, gem_tray="RB", tile_tray="RY--")) == "trade gems PO"
    assert default_text(set_up(hands=hands, tile_tray="RY--")) == "trade tiles R-P-"
    assert default_text(set_up(hands=hands)) == "pass"
