"""Florentine Domino as hosts and bots see it."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from games.contract import Game
from games.florentine import words
from games.florentine.describing import describe
from games.florentine.evaluation import evaluate
from games.florentine.explaining import explain
from games.florentine.foresight import foresee
from games.florentine.policy import choose, rank_moves, suggest
from games.florentine.rules import RULES
from games.florentine.square import CARD_OF
from games.florentine.state import Phase, State


def list_pieces(state: State) -> Counter[str]:
    """All cards, wherever they are."""
    laid = [CARD_OF[look] for look in state.square if look]
    return Counter(chain(laid, *state.hands, state.pool, state.pile))


def is_open(state: State) -> bool:
    """Return whether all hands lie in the pool."""
    return state.phase is not Phase.HANDS


GAME = Game(
    package="games.florentine",
    rules=RULES,
    words=words,
    list_pieces=list_pieces,
    foresee=foresee,
    evaluate=evaluate,
    policy=choose,
    suggest=suggest,
    shortlist=10,
    simulations=150,
    deep_simulations=1000,
    tree_depth=0,
    is_open=is_open,
    rank_moves=rank_moves,
    horizon=24,
    strays=4,
    explain=explain,
    describe=describe,
)
