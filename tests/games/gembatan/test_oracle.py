"""Plays, points and refusals against an oracle that tries everything."""

from __future__ import annotations

from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.chance import Chance
from games.contract import GameError
from games.gembatan.components import SIDES
from games.gembatan.rules import RULES
from games.gembatan.state import Play, State
from tests.games.gembatan import oracle
from tests.games.gembatan.positions import list_texts, set_up
from tests.quick import first

MOST_PLAYS = 150


def list_positions(seed: str, seats: int = 2) -> list[State]:
    """The positions of a random match."""
    dice = Chance(seed, "random players")
    state = RULES.deal(seats=seats, options={}, chance=Chance(seed, "deal"))
    positions = [state]
    while RULES.waiting_on(state):
        move = RULES.random_move(state, state.turn, dice)
        state = RULES.apply(state, state.turn, move, dice).state
        positions.append(state)
    return positions


def is_small(state: State) -> bool:
    """Return whether the oracle can list everything in a moment."""
    plays = (move for move in RULES.legal_moves(state, state.turn) if isinstance(move, Play))
    return not state.is_over and len(list(islice(plays, MOST_PLAYS + 1))) <= MOST_PLAYS


@pytest.mark.parametrize("seed", first(1, ["opal", "jade"]))
def test_plays_are_exactly_those_that_trying_everything_finds(seed: str) -> None:
    """Paragraphs 9 to 14, in every seventh position of a match."""
    positions = [state for state in list_positions(seed) if is_small(state)][::7]
    assert len(positions) >= 4
    for state in positions:
        plays = [text for text in list_texts(state) if not text.startswith(("trade", "pass"))]
        assert len(set(plays)) == len(plays)
        assert set(plays) == oracle.list_play_texts(state)


def test_a_hand_of_crosses_can_be_played_in_many_ways() -> None:
    """Plays of several tiles and gems in one turn (paragraphs 11 to 13)."""
    state = set_up("RBRB 0,0 N", hands=("RB RG BG BGBG RB-- R-G-", ""))
    plays = list_texts(state)
    assert set(plays) == oracle.list_play_texts(state)
    assert max(text.count("+") for text in plays) == 2


def test_points_are_those_that_cutting_all_diagonals_into_runs_gives() -> None:
    """Paragraphs 20 to 24, at every play of four matches."""
    seen = set()
    for seed in ("ruby", "topaz", "agate", "onyx"):
        positions = list_positions(seed, seats=3)
        for before, after in pairwise(positions):
            gained = after.points[before.turn] - before.points[before.turn]
            assert gained == oracle.count_points(before, after)
            seen.add(gained)
    assert len(seen) > 6


@pytest.mark.slow
@settings(max_examples=150, deadline=None, database=None)
@given(data=st.data())
def test_a_play_is_accepted_if_and_only_if_it_is_listed(data: st.DataObject) -> None:
    """`apply` and `legal_moves` are written independently; here damaged plays are given to both."""
    state = data.draw(st.sampled_from(SMALL))
    listed = set(list_texts(state))
    plays = [text for text in listed if text.startswith(("play", "gem"))]
    words = data.draw(st.sampled_from(sorted(plays))).split()
    place = data.draw(st.integers(0, len(words) - 1))
    words[place] = data.draw(st.sampled_from(list_alternatives(state, words[place])))
    try:
        move = RULES.parse(state, state.turn, " ".join(words))
        RULES.apply(state, state.turn, move, Chance("any", "ply 1"))
    except GameError:
        accepted = False
    else:
        accepted = True
    assert accepted == (RULES.write(move) in listed if accepted else " ".join(words) in listed)


def list_alternatives(state: State, word: str) -> list[str]:
    """List other words of the same kind."""
    if word in SIDES:
        return list(SIDES)
    if "," in word:
        return [f"{x},{y}" for x in range(-2, 3) for y in range(-2, 3)]
    if len(word) == 2 and word.isupper():
        return sorted({gem for hand in state.gem_hands for gem in hand})
    if len(word) == 4 and word.isupper():
        return sorted({tile for hand in state.tile_hands for tile in hand})
    return [word]


SMALL = [state for state in list_positions("beryl")[:12] if is_small(state)]
