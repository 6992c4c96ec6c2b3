"""Gembatan as hosts and bots see it."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from games.contract import Game
from games.gembatan import words
from games.gembatan.describing import describe
from games.gembatan.evaluation import evaluate
from games.gembatan.explaining import explain
from games.gembatan.foresight import foresee
from games.gembatan.policy import choose, suggest
from games.gembatan.rules import RULES
from games.gembatan.state import State


def list_pieces(state: State) -> Counter[str]:
    """All tiles and gems, wherever they are."""
    laid = chain((tile.code for tile in state.tiles), (gem.code for gem in state.gems))
    return Counter(chain(laid, *state.tile_hands, *state.gem_hands, state.tile_tray, state.gem_tray))


GAME = Game(
    package="games.gembatan",
    rules=RULES,
    words=words,
    list_pieces=list_pieces,
    foresee=foresee,
    evaluate=evaluate,
    policy=choose,
    suggest=suggest,
    simulations=60,
    deep_simulations=1600,
    tree_depth=0,
    horizon=1,
    explain=explain,
    describe=describe,
)
