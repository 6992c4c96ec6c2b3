"""The silver tower by the paragraphs of games/jewellers/RULES.md."""

from __future__ import annotations

from dataclasses import replace

from games.jewellers.components import (
    JUNCTIONS,
    TOUCHED,
)
from games.jewellers.rules import RULES
from games.jewellers.state import Phase, Place, Sale, Stay
from tests.games.jewellers.positions import (
    SILVER,
    first_position,
    last_gem,
    play,
    play_with_events,
    refuse,
    with_hands,
)


def test_junctions_and_the_squares_around_them() -> None:
    """Paragraph 14."""
    assert len(set(JUNCTIONS)) == 16
    assert TOUCHED["R3"] == {"Rs", "Es"}
    assert TOUCHED["S6"] == {"Lm", "Ll"}
    assert TOUCHED["P4"] == {"Ps", "Pm", "Sm", "Sl"}
    assert TOUCHED["P6"] == {"Pl"}
    assert max(len(gems) for gems in TOUCHED.values()) == 4


def test_the_first_starter_places_the_tower_before_the_draw() -> None:
    """Paragraph 15: `stay` is no answer to the first question."""
    state = first_position(3, options=SILVER, first=1)
    assert (state.phase, state.turn) == (Phase.PLACE, 1)
    assert set(RULES.legal_moves(state, 1)) == {Place(junction) for junction in JUNCTIONS}
    assert refuse(state, "silver stay").code == "no-tower-yet"
    assert refuse(state, "draw small").code == "wrong-phase"
    state = play(state, "silver P4")
    assert (state.phase, state.turn, state.tower) == (Phase.DRAW, 1, "P4")


def test_the_first_buyer_around_the_tower_gets_the_top_piece_and_moves_the_rest() -> None:
    """Paragraphs 16 and 17: only then the next round begins."""
    state = play(first_position(3, options=SILVER), "silver E4", "draw medium", "bid 2", "bid 3", "pass")
    state, events = play_with_events(state, "pass")
    assert state.silver == (1,)
    assert (state.phase, state.turn, state.starter) == (Phase.MOVE, 1, 2)
    assert [event.kind for event in events] == ["pass", "sold", "silver"]
    assert set(RULES.legal_moves(state, 1)) == {Stay(), *(Place(junction) for junction in JUNCTIONS)}
    assert refuse(state, "draw small").code == "wrong-phase"
    moved = play(state, "silver R3")
    assert (moved.phase, moved.turn, moved.tower) == (Phase.DRAW, 2, "R3")
    stayed = play(state, "silver stay")
    assert (stayed.phase, stayed.turn, stayed.tower) == (Phase.DRAW, 2, "E4")


def test_a_gem_away_from_the_tower_brings_no_silver() -> None:
    """Paragraph 16."""
    state = play(first_position(2, options=SILVER), "silver R3", "draw medium", "bid 2", "pass")
    assert state.silver == ()
    assert state.phase is Phase.DRAW


def test_an_unsold_gem_takes_no_silver() -> None:
    """Paragraph 17."""
    state = play(first_position(2, options=SILVER), "silver R3")
    state = play(with_hands(state, "", ""), "draw small")
    assert state.sales[-1] == Sale("Rs", None, ())
    assert state.silver == ()
    assert state.tower == "R3"


def test_after_the_large_piece_nothing_is_left_to_move() -> None:
    """Paragraphs 16 and 17."""
    state = replace(first_position(2), tower="R3", silver=(0, 1))
    state = play(state, "draw small", "bid 2", "pass")
    assert state.silver == (0, 1, 0)
    assert state.tower is None
    assert state.phase is Phase.DRAW


def test_after_the_last_gem_nobody_moves_silver() -> None:
    """Paragraph 17."""
    state = replace(last_gem(2, "Rs"), tower="R3", silver=(1,))
    state = play(state, "draw small", "bid 2", "pass")
    assert state.phase is Phase.OVER
    assert state.silver == (1, 0)
