"""The places of the cards on the picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games.florentine.components import CARD_CODES
from games.florentine.layout import CELL, find_gesture, find_marks, layout
from games.florentine.rules import RULES
from games.florentine.square import EMPTY_SQUARE, LOOKS
from games.florentine.state import Phase, State, View
from games.picture import Box
from games.testing.cases import list_cases, list_positions

NAMES = ("Ana", "Ben", "Cy", "Dee")
CASE = next(case for case in list_cases() if (case.slug, case.seats) == ("florentine", 4))


def show(state: State) -> tuple[View, Any]:
    """The view of the seat to act, and its board."""
    view = RULES.view(state, state.turn)
    return view, layout(view, NAMES)


def first_in(phase: Phase) -> Any:
    return next(
        state for state in list_positions(CASE) if state.phase is phase and state.square != EMPTY_SQUARE
    )


@pytest.mark.parametrize("code", [CARD_CODES[0], CARD_CODES[20], CARD_CODES[-1]])
def test_a_card_of_the_hand_turned_to_a_side_is_the_card_as_it_will_lie(code: str) -> None:
    """The page shows the hand's card turned, the server's preview the card on its cell."""
    view, _ = show(list_positions(CASE)[0])
    in_hand = layout(replace(view, hand=(code,)), NAMES).hand[0]
    for look, facing in LOOKS[code].items():
        laid_view = replace(view, square=(*EMPTY_SQUARE[:24], look, *EMPTY_SQUARE[25:]))
        (laid,) = layout(laid_view, NAMES).cards
        gesture = find_gesture(layout(replace(view, hand=(code,)), NAMES), "", f"place {code} d4 {facing}")
        assert gesture is not None
        ((copy),) = gesture.laid
        assert (copy.at, copy.turn) == (Box(laid.x, laid.y, CELL, CELL), laid.turn)
        assert (laid.sides, laid.gem, laid.gem_turn) == (in_hand.sides, in_hand.gem, in_hand.gem_turn)
        shown = {(side.turn + laid.turn) % 360: side.colour for side in laid.sides}
        assert "".join(shown[degrees] for degrees in (0, 90, 180, 270)) == look


def test_a_card_is_discarded_by_touching_it_and_the_place_beside_the_hand() -> None:
    state = first_in(Phase.HANDS)
    view, board = show(state)
    code = view.hand[0]
    gesture = find_gesture(board, "", f"discard {code}")
    assert gesture is not None
    assert [list(touch) for touch in gesture.touches] == [[board.hand[0].touch], [board.discard]]
    assert layout(RULES.view(state, (state.turn + 1) % 4), NAMES).discard is None
    assert layout(RULES.view(state, None), NAMES).discard is None


def test_the_first_card_cannot_be_discarded() -> None:
    _view, board = show(list_positions(CASE)[0])
    assert board.discard is None


def test_a_black_card_goes_to_a_cell_and_at_a_corner_it_turns() -> None:
    _view, board = show(first_in(Phase.BLACK))
    north, east = (find_gesture(board, "", f"black g7 {edge}") for edge in "NE")
    assert north is not None
    assert east is not None
    assert north.touches == east.touches
    assert [laid.turn for laid in (*north.laid, *east.laid)] == [0, 90]
    assert find_gesture(board, "", "decline") is not None


def test_a_black_card_lies_where_its_gesture_shows_it() -> None:
    for state in list_positions(CASE):
        for seat, black in enumerate(state.blacks):
            if black:
                _, board = show(state)
                laid = next(card for card in board.blacks if card.letter == "ABCD"[seat])
                (mark,) = find_marks(board, seat, f"black {black.cell} {black.edge}")
                assert (mark.x + mark.width / 2, mark.y + mark.height / 2) == (laid.x, laid.y)
                assert (mark.width > mark.height) is (laid.turn % 180 == 0)


def test_the_reader_comes_first_and_then_the_seats_to_the_left() -> None:
    view = RULES.view(first_in(Phase.HANDS), 2)
    assert [panel.letter for panel in layout(view, NAMES).seats] == ["C", "D", "A", "B"]
    spectator = RULES.view(first_in(Phase.HANDS), None)
    assert [panel.letter for panel in layout(spectator, NAMES).seats] == ["A", "B", "C", "D"]


def test_closed_rooms_have_walls_and_dark_sides() -> None:
    _view, board = show(list_positions(CASE)[-1])
    assert any(side.is_closed for card in board.cards for side in card.sides)
    assert board.walls.startswith("M")
    _view, empty = show(list_positions(CASE)[0])
    assert empty.walls == ""
