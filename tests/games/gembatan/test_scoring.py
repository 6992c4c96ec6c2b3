"""The score of a play (RULES.md, paragraphs 20 to 24)."""

from __future__ import annotations

import pytest

from games.gembatan.scoring import score_play
from tests.games.gembatan.positions import find_event, play, points_of, set_up

CROSSING = {(0, -1): "RG", (2, 1): "RY", (0, 1): "BG", (2, -1): "BP", (1, 0): "RB"}
"""A red line to the north-east and a blue one to the south-east, through the gem in the middle."""


def test_two_crossing_lines_of_three_score_seven() -> None:
    """The rule file's worked example: 3 + 3 + 1."""
    assert score_play(CROSSING, [(1, 0)]).points == 7


def test_one_line_of_three_in_both_colours_scores_seven() -> None:
    """The other half of the worked example; paragraph 22."""
    gems = {(0, -1): "RB", (1, 0): "RB", (2, 1): "RB"}
    assert score_play(gems, [(2, 1)]).points == 7


def test_the_worked_example_on_a_lay_out() -> None:
    """A move scores these seven points, and the log says how."""
    state = set_up("RB-- 0,0 N; R-G- 1,0 W", "RG 0,0 S; RY 1,0 N; BG 0,0 N; BP 1,0 S", hands=("RB RG", "RG"))
    step = play(state, "gem RB 0,0 E")
    assert step.state.points == (7, 0)
    assert find_event(step, "play").data["lines"] == [
        {"colour": "R", "length": 3},
        {"colour": "B", "length": 3},
    ]


def test_a_gem_alone_is_one_point() -> None:
    """Paragraph 20."""
    assert score_play({(1, 0): "RB"}, [(1, 0)]).points == 1


def test_a_pair_is_no_line() -> None:
    """Paragraph 21."""
    assert score_play({(1, 0): "RB", (2, 1): "RB"}, [(1, 0)]).points == 1


@pytest.mark.parametrize("step", [(2, 0), (0, 2)])
def test_rows_and_columns_do_not_score(step: tuple[int, int]) -> None:
    """Paragraph 23."""
    gems = {(1 + n * step[0], n * step[1]): "RB" for n in range(5)}
    assert score_play(gems, [(1, 0)]).points == 1


def test_a_line_counts_in_its_full_length_whoever_has_begun_it() -> None:
    """Paragraph 21: also when the new gem joins two parts."""
    gems = {(1 + n, n): "RB" if n % 2 else "RG" for n in range(7)}
    assert score_play(gems, [(7, 6)]).points == 1 + 7
    assert score_play(gems, [(4, 3)]).points == 1 + 7


def test_a_line_with_several_new_gems_counts_once() -> None:
    """Paragraph 21."""
    gems = {(1, 0): "RB", (2, 1): "RG", (3, 2): "RY"}
    assert score_play(gems, [(1, 0), (3, 2), (2, 1)]).points == 3 + 3


def test_a_gap_or_another_colour_breaks_a_line() -> None:
    """Paragraph 21."""
    gap = {(1, 0): "RB", (2, 1): "RG", (4, 3): "RY"}
    other = {(1, 0): "RB", (2, 1): "RG", (3, 2): "GY", (4, 3): "RY"}
    assert score_play(gap, [(1, 0)]).points == 1
    assert score_play(other, [(1, 0)]).points == 1


def test_lines_without_a_new_gem_do_not_score() -> None:
    """Paragraph 21."""
    gems = {(1, 0): "RB", (2, 1): "RG", (3, 2): "RY", (9, 0): "PO"}
    assert score_play(gems, [(9, 0)]).points == 1


def test_each_colour_of_a_line_counts_as_far_as_it_goes() -> None:
    """Paragraph 22: red reaches over four gems, blue over three of them."""
    gems = {(1, 0): "RG", (2, 1): "RB", (3, 2): "RB", (4, 3): "RB", (5, 4): "GY"}
    assert score_play(gems, [(4, 3)]).points == 1 + 4 + 3


def test_the_same_colour_may_score_on_both_diagonals() -> None:
    """Paragraph 21."""
    gems = dict.fromkeys(CROSSING, "RG") | {(1, 0): "RB"}
    assert score_play(gems, [(1, 0)]).points == 1 + 3 + 3


@pytest.mark.parametrize(("count", "points"), [(1, 1), (2, 2), (3, 3), (4, 8)])
def test_four_gems_in_one_turn_are_a_gembatan(count: int, points: int) -> None:
    """Paragraph 24."""
    filled = [(1 + 4 * n, 0) for n in range(count)]
    assert score_play(dict.fromkeys(filled, "RB"), filled).points == points


def test_a_gembatan_needs_gems_and_not_tiles() -> None:
    """Paragraph 24, on a lay-out: four gem steps; with one gem less there is no bonus."""
    tiles = "; ".join(f"RBRB 0,{y} N; RBRB 1,{y} E" for y in range(4))
    texts = [f"gem RB 0,{y} E" for y in range(4)]
    state = set_up(tiles, hands=("RB RB RB RB", "RB"), gem_tray="RG")
    assert points_of(play(state, " + ".join(texts))) == 8
    assert points_of(play(state, " + ".join(texts[:3]))) == 3
