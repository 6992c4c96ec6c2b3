"""Plurals of numbers below 0, which a score of Gembatan is at first."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from games.registry import game
from gemserver.lib.text.translator import translator
from gemserver.matches.boards import board
from tests.games.playing import CASES, deal

each_language = pytest.mark.parametrize(
    ("language", "one", "four"),
    [("en", "point", "points"), ("fr", "point", "points"), ("de", "Punkt", "Punkte")],
)


@each_language
def test_a_number_below_0_has_the_plural_of_its_size(language: str, one: str, four: str) -> None:
    with translation.override(language):
        tr = translator()
        assert [tr.ngettext("{score} point", "{score} points", score) for score in (-1, -4)] == [
            f"{{score}} {one}",
            f"{{score}} {four}",
        ]


@each_language
def test_a_board_says_what_the_gems_in_hand_cost(language: str, one: str, four: str) -> None:
    entry, case = game("gembatan"), next(case for case in CASES if case.slug == "gembatan")
    view = entry.rules.view(deal(case), 0)
    with translation.override(language):
        drawn = board.draw("gembatan", entry.layout.layout(view, ["Ana", "Ben", "Cy", "Dee"][: case.seats]))
    assert f"−4 {four}<" in drawn
    assert ">-4" not in drawn


@each_language
def test_the_mail_about_the_result_counts_points_below_0(language: str, one: str, four: str) -> None:
    players = [{"rank": 1, "name": "Ana", "score": -1}, {"rank": 2, "name": "Ben", "score": -4}]
    with translation.override(language):
        said = render_to_string("emails/finished.txt", {"seats": players})
    assert f"\N{MINUS SIGN}1 {one}\n" in said
    assert f"\N{MINUS SIGN}4 {four}\n" in said
