"""The computer players of an earlier day, kept as opponents (`FROZEN`: by the slug of the game)."""

from __future__ import annotations

from operator import attrgetter

from games.florentine.rules import RULES as FLORENTINE
from games.gem.rules import RULES as GEM
from games.gembatan.rules import RULES as GEMBATAN
from games.gemessengers.rules import RULES as GEMESSENGERS
from games.jewellers.rules import RULES as JEWELLERS
from tests.strength.frozen import (
    florentine,
    gem,
    gembatan,
    gembatan_moves,
    gemessengers,
    gemessengers_moves,
    jewellers,
)
from tests.strength.frozen.bots import Frozen, choose

__all__ = ["FROZEN", "Frozen", "choose"]

FROZEN = {
    "florentine": Frozen(FLORENTINE, florentine.evaluate, simulations=600, horizon=8),
    "gem": Frozen(GEM, gem.evaluate, simulations=600, horizon=10),
    "gembatan": Frozen(
        GEMBATAN, gembatan.evaluate, suggest=gembatan_moves.suggest, simulations=16, horizon=0
    ),
    "gemessengers": Frozen(
        GEMESSENGERS,
        gemessengers.evaluate,
        suggest=gemessengers_moves.suggest,
        simulations=60,
        shortlist=8,
        stage=attrgetter("round"),
    ),
    "jewellers": Frozen(
        JEWELLERS,
        jewellers.evaluate,
        simulations=60,
        most_seats_for_playouts=2,
        shortlist=6,
        horizon=8,
        breadth=3,
    ),
}
