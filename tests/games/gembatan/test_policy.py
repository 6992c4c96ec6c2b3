"""Gembatan's quick player finds the play that scores most."""

from __future__ import annotations

from games.chance import Chance
from games.gembatan.policy import choose
from games.gembatan.rules import RULES
from games.gembatan.state import Play
from tests.games.gembatan.positions import play, points_of, set_up


def test_no_legal_play_scores_more() -> None:
    state = set_up("RB-- 0,0 N", hands=("RB BG RG RBRB BGB- RG--", "RB"), gem_tray="RY", tile_tray="RY--")
    best = max(
        [
            points_of(play(state, RULES.write(move)))
            for move in RULES.legal_moves(state, 0)
            if isinstance(move, Play)
        ]
    )
    assert points_of(play(state, RULES.write(choose(state, 0, Chance("s", "policy"))))) == best
    assert best == 3  # more than any single step


def test_who_cannot_play_trades_and_else_passes() -> None:
    """No gem in hand fits any socket that could be made."""
    stuck = set_up("RB-- 0,0 N", hands=("YP RG--", "RB"), gem_tray="RY")
    assert RULES.write(choose(stuck, 0, Chance("s", "policy"))) == "trade gems YP"
    empty = set_up("RB-- 0,0 N", hands=("YP RG--", "RB"))
    assert RULES.write(choose(empty, 0, Chance("s", "policy"))) == "pass"
