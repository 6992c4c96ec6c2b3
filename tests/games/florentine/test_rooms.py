"""Rooms, black cards and points (RULES.md, paragraphs 19 to 24)."""

from __future__ import annotations

import pytest

from games.florentine.components import CARDS
from games.florentine.drawing import draw_square
from games.florentine.rules import RULES
from games.florentine.scoring import find_closed_triangles, find_room, find_triangle, score_seats
from games.florentine.state import Black, Decline, Phase, Square
from tests.games.florentine import oracle
from tests.games.florentine.positions import (
    lay,
    play,
    play_at_random,
    play_steps_at_random,
    play_with_events,
    position,
    refuse,
)

FOUR = ("rrbg d4 N", "rrgb e4 W", "rrbo d5 E", "rrob e5 S")
"""The worked example: all red triangles meet around one point."""
NO_BLACKS = (None, None, None, None)
GEMS = {card.code: card.gem for card in CARDS if card.gem}


def score(square: Square, blacks: tuple[Black | None, ...] = NO_BLACKS) -> tuple[int, ...]:
    return score_seats("rbgo", square, blacks)


def test_worked_example_the_room_stays_open_until_all_four_cards_lie() -> None:
    """Paragraphs 20 to 23."""
    assert score(lay(*FOUR[:2])) == (0, 0, 0, 0)
    assert score(lay(*FOUR[:3])) == (0, 0, 0, 0)
    assert score(lay(*FOUR)) == (4, 0, 0, 0)


def test_worked_example_the_room_has_eight_triangles() -> None:
    """Paragraphs 20 and 21."""
    square = lay(*FOUR)
    room = find_room(square, find_triangle("d4", "N"))
    assert room == {
        find_triangle(cell, side)
        for cell, sides in {"d4": "NE", "e4": "NW", "d5": "ES", "e5": "SW"}.items()
        for side in sides
    }
    assert find_closed_triangles(square, frozenset()) == room


def test_triangles_on_opposite_edges_do_not_touch() -> None:
    """Paragraph 20: the two red triangles of rbrg are two rooms, the four of two crossed pairs too."""
    square = lay("rbrg d4 N")
    assert find_room(square, find_triangle("d4", "N")) == {find_triangle("d4", "N")}
    assert find_room(lay("rrbb d4 N"), find_triangle("d4", "N")) == {
        find_triangle("d4", "N"),
        find_triangle("d4", "E"),
    }


def test_closing_a_room_is_told_to_its_owner_with_the_number_of_gems() -> None:
    """Paragraph 23; also when somebody else closes it."""
    cross = [*FOUR[:2], *(f"rbrb d{row} N" for row in (1, 2, 3, 6, 7))]
    cross += [f"rbrb {column}4 N" for column in "abcfg"]
    square = lay(*cross, "rrbo d5 E")
    state = position(square, turn=2, pool="rrob")
    _, events = play_with_events(state, "place rrob e5 S")
    closed = [event for event in events if event.kind == "closed"]
    assert [(event.seat, event.data) for event in closed] == [(0, {"colour": "r", "gems": 4})]


def test_only_gems_of_the_own_kind_in_rooms_of_the_own_colour_count() -> None:
    """Paragraph 23: a colour that nobody plays scores nowhere."""
    square = lay(*FOUR)
    assert score_seats("go", square, (None, None)) == (0, 0)
    assert score_seats("gr", square, (None, None)) == (0, 4)


RIM_ROOM = lay("rrbg a4 W", "rgro a5 N", "rrgb b4 W")
"""The red room of a4 looks at the outside in the west and at the red edge of a5 in the north."""


def test_an_outside_edge_is_closed_by_a_black_card_only() -> None:
    """Paragraph 22: a4 has red west and north, a5 closes the north, a black card the west."""
    assert RIM_ROOM[3] == "rbgr"
    assert score(RIM_ROOM) == (0, 0, 0, 0)
    assert score(RIM_ROOM, (Black("a4", "W"), None, None, None)) == (1, 0, 0, 0)
    assert score(RIM_ROOM, (Black("a5", "W"), None, None, None)) == (0, 0, 0, 0)


def test_the_black_card_needs_an_outer_edge_of_the_own_colour() -> None:
    """Paragraph 19."""
    state = position(RIM_ROOM, Phase.BLACK)
    assert refuse(state, "black a4 N") == "not-outside"
    assert refuse(state, "black d4 N") == "not-outside"
    assert refuse(state, "black a3 W") == "hole"
    assert refuse(state, "black a5 W") == "not-your-colour"
    assert refuse(state, "place rrbb a3 N") == "wrong-phase"
    assert refuse(state, "discard rrbb") == "wrong-phase"
    assert play(state, "black a4 W").blacks == (Black("a4", "W"), None, None, None)


def test_without_an_edge_of_the_own_colour_declining_is_forced() -> None:
    """Paragraphs 19 and 25."""
    red, blue = (position(RIM_ROOM, Phase.BLACK, turn=seat) for seat in (0, 1))
    assert RULES.forced_move(red) is None
    assert RULES.forced_move(blue) == (1, Decline())
    assert list(RULES.legal_moves(red, 0)) == [Black("a4", "W"), Decline()]


def test_everybody_is_asked_once_from_the_seat_whose_turn_it_would_be() -> None:
    """Paragraphs 18 and 19."""
    state = play(position(lay("rrbb d4 N"), turn=2, pool="rrgg"), "place rrgg d5 S")
    assert (state.phase, state.turn, state.answered) == (Phase.BLACK, 3, 0)
    seats = []
    while RULES.waiting_on(state):
        assert RULES.outcome(state) is None
        seats.append(state.turn)
        state = play(state, "decline")
    assert seats == [3, 0, 1, 2]
    assert RULES.outcome(state) is not None


def test_the_default_is_the_black_card_that_shuts_in_most_own_gems_else_to_decline() -> None:
    """Paragraph 26."""
    state = position(RIM_ROOM, Phase.BLACK)
    assert RULES.default_move(state, 0) == Black("a4", "W")
    more = ("rrgo g4 E", "rrbo g3 W", "rbob f3 E")
    both = position(lay("rrbg a4 W", "rgro a5 N", "rrgb b4 W", *more), Phase.BLACK)
    assert list(RULES.legal_moves(both, 0)) == [Black("a4", "W"), Black("g4", "E"), Decline()]
    assert RULES.default_move(both, 0) == Black("g4", "E")
    ochre = position(RIM_ROOM, Phase.BLACK, turn=3)
    assert list(RULES.legal_moves(ochre, 3)) == [Black("a5", "W"), Decline()]
    assert RULES.default_move(ochre, 3) == Decline()


def test_ties_are_shared() -> None:
    """Paragraph 24."""
    state = position(lay(*FOUR), Phase.OVER, answered=4)
    outcome = RULES.outcome(state)
    assert outcome is not None
    assert (outcome.scores, outcome.ranks) == ((4, 0, 0, 0), (1, 2, 2, 2))
    nothing = RULES.outcome(position(lay("rrbg d4 N"), Phase.OVER, answered=4))
    assert nothing is not None
    assert nothing.ranks == (1, 1, 1, 1)


def test_the_standing_counts_the_rooms_closed_now() -> None:
    """Paragraph 24."""
    state = position(lay(*FOUR), Phase.HANDS, colours="bgro")
    assert tuple(RULES.standing(state)) == (0, 0, 4, 0)
    assert tuple(RULES.ranks(state)) == (2, 2, 1, 2)


@pytest.mark.parametrize("number", range(12))
def test_points_are_those_of_the_oracle(number: int) -> None:
    """Paragraphs 20 to 23, every fifth position and the last of a random match."""
    states = play_at_random(2 + number % 3, f"rooms {number}")
    for state in [*states[::5], states[-1]]:
        counted = oracle.count_closed_gems(state.square, state.blacks, GEMS)
        assert tuple(RULES.standing(state)) == tuple(counted[colour] for colour in state.colours)


def test_black_cards_close_rooms_in_the_matches_of_the_oracle() -> None:
    """The matches of the test above do have closed rooms to compare."""
    ends = [play_at_random(2 + number % 3, f"rooms {number}")[-1] for number in range(12)]
    without = [score_seats(end.colours, end.square, (None,) * len(end.colours)) for end in ends]
    assert any(tuple(RULES.standing(end)) != scores for end, scores in zip(ends, without, strict=True))
    assert sum(sum(scores) for scores in without) > 60


def test_every_gem_that_counts_has_been_told_once() -> None:
    """A closed room is never opened again, and the log names its gems when it is closed."""
    for number in range(6):
        steps = play_steps_at_random(4, f"told {number}")
        told = [0] * 4
        for step in steps:
            for event in step.events:
                if event.kind == "closed" and event.seat is not None:
                    told[event.seat] += int(str(event.data["gems"]))
        assert told == list(RULES.standing(steps[-1].state))


def test_the_picture_shows_closed_rooms_in_capitals_and_gems_as_stars() -> None:
    picture = list(draw_square(lay(*FOUR), NO_BLACKS, show_open=False))
    d4 = next(line for line in picture if line.startswith("4"))
    assert "g * R" in d4
    assert "R * g" in d4
    blacks = (Black("a4", "W"), None, None, None)
    shut = list(draw_square(RIM_ROOM, blacks, show_open=False))
    assert any(line.startswith("4 # R * b") for line in shut)
