"""The sample board on the first page: a position that nobody plays, in the reader's language."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.utils.safestring import SafeString

from games import registry
from games.chance import Chance
from gemserver.matches.boards import board
from gemserver.matches.models import Match

GAME = "gem"
NAMES = ("Ana", "Ben", "Cleo")
SEED, DAY, BIDS = "first page 46", 3, 2
"""The position: the auction of day `DAY` after `BIDS` bids, where each player has something."""


@cache
def draw_sample_board(language: str) -> str:
    """Draw the board as an SVG element; `language`, the active one, is the key of the cache."""
    rules = registry.GAMES[GAME].rules
    return SafeString(board.svg(Match(game=GAME), rules.view(_find_position(), None), NAMES, None))


def _find_position() -> Any:
    """Reach the position by random moves, the same each time."""
    rules = registry.GAMES[GAME].rules
    dice = Chance(SEED, "players")
    state = rules.deal(seats=len(NAMES), options={}, chance=Chance(SEED, "deal"))
    while state.day < DAY or len(state.calls) < BIDS:
        seat = min(rules.waiting_on(state))
        state = rules.apply(state, seat, rules.random_move(state, seat, dice), dice).state
    return state
