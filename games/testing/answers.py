"""Asks a position everything that hosts ask at every move, each within the time and size that a server can bear."""

from __future__ import annotations

from itertools import islice
from typing import Any

import msgspec

from games.chance import Chance
from games.contract import Game, Seat
from games.testing.patience import expect_an_answer
from games.testing.readers import NAMES, TR

MOST_LISTED = 300
"""Positions with more legal moves than this are not compared move by move."""
LARGEST_POSITION = 100_000
"""Bytes of a position as JSON, of which a server keeps one for every match; those of the house take 5000."""


def expect_answers(game: Game, seats: int, state: Any, seat: Seat, chance: tuple[str, str]) -> None:
    """Raise NoAnswer for the first function that takes too long."""
    rules, words, names = game.rules, game.words, NAMES[:seats]
    with expect_an_answer("legal_moves"):
        list(islice(rules.legal_moves(state, seat), MOST_LISTED))
    with expect_an_answer("default_move"):
        rules.default_move(state, seat)
    with expect_an_answer("steps"):
        rules.steps(state, seat, "")
    for name in ("waiting_on", "forced_move", "outcome", "standing", "ranks", "context", "bidders"):
        with expect_an_answer(name):
            getattr(rules, name)(state)
    with expect_an_answer("view"):
        view = rules.view(state, seat)
    with expect_an_answer("resample"):
        rules.resample(state, seat, Chance(*chance))
    with expect_an_answer("draw"):
        words.draw(view, TR, names)
    with expect_an_answer("prompt"):
        words.prompt(view, TR, names)
    with expect_an_answer("layout"):
        game.layout.layout(view, names)


def expect_a_small_position(state: Any) -> None:
    """Raise AssertionError for a position that is too large to be kept; what cannot be stored is another test's."""
    try:
        size = len(msgspec.json.encode(state))
    except (TypeError, ValueError, msgspec.MsgspecError):
        return
    assert size <= LARGEST_POSITION, (
        f"a position takes {size} bytes as JSON, and at most {LARGEST_POSITION} are to be kept for every match: "
        "leave out what the rules can work out or look up"
    )
