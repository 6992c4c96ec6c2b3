"""Gembatan's quick player finds the play that scores most."""

from __future__ import annotations

from games.chance import Chance
from games.gembatan.policy import choose, suggest
from games.gembatan.rules import RULES
from games.gembatan.state import Play, Trade
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


def test_trades_that_keep_one_piece_are_suggested() -> None:
    """Equal pieces are no two choices, and a tray that is too short for all but one is traded empty."""
    state = set_up(
        "RB-- 0,0 N", hands=("YP YP PO RG-- BG--", "RB"), gem_tray="RY GY BO", tile_tray="RY-- GY--"
    )
    trades = {RULES.write(move) for move in suggest(state, 0) if isinstance(move, Trade)}
    gems = ("", " gems PO YP YP", " gems PO YP", " gems YP YP")
    tiles = ("", " tiles BG-- RG--", " tiles BG--", " tiles RG--")
    assert trades == {"trade gems PO"} | {f"trade{one}{other}" for one in gems for other in tiles} - {"trade"}
    short = set_up("RB-- 0,0 N", hands=("YP YP PO BO", "RB"), gem_tray="RY GY")
    assert [RULES.write(move) for move in suggest(short, 0)] == ["trade gems BO", "trade gems BO PO"]
