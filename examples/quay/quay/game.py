"""Quay as hosts and bots see it; `pyproject.toml` names it."""

from __future__ import annotations

from collections import Counter

from games.contract import Game, Seat
from quay.policy import choose
from quay.rules import Quay
from quay.state import CARDS, State
from quay.words import Words


def list_pieces(state: State) -> Counter[str]:
    """The goods and what they lie on; cards leave the match when they were shown."""
    return Counter([good for good in (*state.market, *state.bag, *state.quay) if good])


def evaluate(state: State, seat: Seat) -> float:
    """The lead over the best of the others; high cards in hand are worth a little."""
    rival = max(points for other, points in enumerate(state.points) if other != seat)
    return state.points[seat] - rival + sum(state.hands[seat]) / (2 * len(CARDS))


GAME = Game(
    package="quay",
    rules=Quay(),
    words=Words(),
    list_pieces=list_pieces,
    evaluate=evaluate,
    policy=choose,
)
