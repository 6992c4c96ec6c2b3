"""The shared tests of `games.testing`, tried on the games of the house."""

from __future__ import annotations

import re

import pytest

from games.registry import OWN, UnknownGame, game
from games.testing.cases import list_positions
from games.testing.conformance.test_any_text import *  # noqa: F403
from games.testing.conformance.test_bots import *  # noqa: F403
from games.testing.conformance.test_explanations import *  # noqa: F403
from games.testing.conformance.test_moves import *  # noqa: F403
from games.testing.conformance.test_package import *  # noqa: F403
from games.testing.conformance.test_picks import *  # noqa: F403
from games.testing.conformance.test_pictures import *  # noqa: F403
from games.testing.conformance.test_play import *  # noqa: F403
from games.testing.conformance.test_processes import *  # noqa: F403
from games.testing.conformance.test_puzzles import *  # noqa: F403
from games.testing.conformance.test_records import *  # noqa: F403
from games.testing.conformance.test_tutorial import *  # noqa: F403
from games.testing.conformance.test_views import *  # noqa: F403
from games.testing.conformance.test_words import *  # noqa: F403
from games.testing.readers import NAMES, TR, list_readers
from tests.games.playing import Case, each_case


def test_an_unknown_game_is_refused_with_the_list_of_games() -> None:
    with pytest.raises(UnknownGame) as refusal:
        game("chess")
    assert "gem" in refusal.value.message.text(TR)


@pytest.mark.parametrize("slug", OWN)
def test_every_game_of_the_house_claims_what_it_is(slug: str) -> None:
    """A claim that is missing would leave out shared tests."""
    assert game(slug).rules.meta.has_hidden
    assert game(slug).list_pieces
    assert game(slug).explain


@each_case
def test_a_drawing_of_a_running_match_names_who_is_to_act(case: Case) -> None:
    running = re.compile(r"\bto act\b|still to (pick|call)|to play\.")
    drawn = [
        case.game.words.draw(case.rules.view(state, reader), TR, NAMES[: case.seats])
        for state in list_positions(case)[::9]
        if case.rules.waiting_on(state)
        for reader in list_readers(case.seats)
    ]
    assert any(running.search(text) for text in drawn)
