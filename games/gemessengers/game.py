"""Gemessengers as hosts and bots see it."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from operator import attrgetter

from games.contract import Game
from games.gemessengers import words
from games.gemessengers.components import PROCLAMATION
from games.gemessengers.describing import describe
from games.gemessengers.evaluation import evaluate
from games.gemessengers.explaining import explain
from games.gemessengers.policy import choose, suggest
from games.gemessengers.rules import RULES
from games.gemessengers.state import State


def list_pieces(state: State) -> Counter[str]:
    """The cards and tokens of the present round: each later one has a deck of its own."""
    workshops = [row for workshop in state.workshops for row in workshop]
    guild = [PROCLAMATION[suit] for row in state.guild for suit in row]
    tokens = ["token"] * (sum(state.tokens) + sum(state.taken))
    return Counter(chain(*state.hands, state.pile, *workshops, guild, tokens))


GAME = Game(
    package="games.gemessengers",
    rules=RULES,
    words=words,
    list_pieces=list_pieces,
    evaluate=evaluate,
    policy=choose,
    suggest=suggest,
    simulations=240,
    deep_simulations=700,
    shortlist=8,
    stage=attrgetter("round"),
    explain=explain,
    describe=describe,
)
