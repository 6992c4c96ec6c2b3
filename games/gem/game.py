"""GEM as hosts and bots see it."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from games.contract import Game, SealedPace
from games.gem import sealed, words
from games.gem.describing import describe
from games.gem.evaluation import evaluate
from games.gem.explaining import explain
from games.gem.foresight import foresee
from games.gem.policy import choose
from games.gem.rules import RULES
from games.gem.search import suggest
from games.gem.state import State


def list_pieces(state: State) -> Counter[str]:
    """All cards and coins, wherever they are."""
    return Counter(chain(state.open, *state.piles, *state.active, *state.inactive))


GAME = Game(
    package="games.gem",
    rules=RULES,
    words=words,
    list_pieces=list_pieces,
    policy=choose,
    evaluate=evaluate,
    suggest=suggest,
    simulations=100,
    deep_simulations=500,
    sealed_pace=SealedPace(
        sealed.at_turn, words.prompt_order, sealed.read, sealed.ask_limit, sealed.read_bid
    ),
    foresee=foresee,
    spell_out=sealed.spell_out,
    explain=explain,
    describe=describe,
)
