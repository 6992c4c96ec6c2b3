"""Gemessengers as a picture: where things stand, what is touched, where the last move is seen."""

from __future__ import annotations

from games.gemessengers.board import Board
from games.gemessengers.layout import find_gesture, find_marks, layout
from games.gemessengers.rules import RULES
from games.gemessengers.state import State
from games.picture import Gesture
from tests.games.gemessengers.positions import deal, play, with_workshops

NAMES = ("Ana", "Bob", "Cy")
HANDS = ("A C D E R *S", "T T T T T *A", "E E E E E *C")


def draw(state: State, reader: int | None) -> Board:
    return layout(RULES.view(state, reader), NAMES)


def touch(board: Board, begun: str, text: str) -> Gesture:
    gesture = find_gesture(board, begun, text)
    assert gesture is not None
    return gesture


def test_the_picture_shows_what_the_reader_knows() -> None:
    """Cards carry their codes; a card that the reader cannot know has none."""
    state = play(deal(*HANDS), "A play ruby", "B play topaz", "C play emerald")
    board = draw(state, 0)
    hands = [[card.code for card in panel.hand] for panel in board.panels]
    assert hands[0] == list(state.hands[0])
    assert hands[1] == ["A", "C", "D", "E", "*S", ""]
    assert hands[2] == [""] * 6


def test_the_picture_puts_settled_rows_into_the_pattern() -> None:
    state = with_workshops(deal(*HANDS), "D E / R", "D E", "")
    first, second, third = draw(state, None).panels
    assert [(len(panel.gems), len(panel.slots)) for panel in (first, second, third)] == [
        (3, 3),
        (2, 0),
        (0, 6),
    ]
    assert [label.names for label in first.labels] == [("decoration",), ("base",)]
    assert [label.names for label in second.labels] == [("decoration", "base")]
    assert [label.is_settled for panel in (first, second) for label in panel.labels] == [True, True, False]


def test_the_own_sealed_pick_is_drawn_where_it_will_lie() -> None:
    """Rows keep the numbers that a changed pick would name."""
    state = play(
        with_workshops(deal(*HANDS), "D E / R", "", ""), "A play ruby above", "B proclaim amethyst base"
    )
    own = draw(state, 0)
    assert [(gem.suit, gem.is_pending) for gem in own.panels[0].gems] == [
        ("R", True),
        ("D", False),
        ("E", False),
        ("R", False),
    ]
    assert [label.number for label in own.panels[0].labels] == [0, 1, 2]
    other = draw(state, 1)
    assert [len(panel.gems) for panel in other.panels if panel.letter == "A"] == [3]
    assert [[card.code for card in row.pending] for row in other.guild] == [[], [], ["*A"]]
    assert [row.pending for row in own.guild] == [(), (), ()]
    state = play(state, "A play emerald row 2")
    panel = draw(state, 0).panels[0]
    assert [(gem.suit, gem.is_pending) for gem in panel.gems][-2:] == [("R", False), ("E", True)]
    assert [label.number for label in panel.labels] == [1, 2]


def test_a_gem_lies_at_the_next_free_cell_of_the_row_that_is_touched() -> None:
    board = draw(with_workshops(deal(*HANDS), "D E / R", "", ""), 0)
    own = board.panels[0]
    gesture = touch(board, "play ruby", "play ruby row 2")
    ((row,),) = gesture.touches
    ((laid),) = gesture.laid
    assert (laid.at.x, laid.at.y) == (own.labels[1].next.x, own.labels[1].next.y)
    assert row.y < laid.at.y < row.y + row.height
    assert (laid.at.x, laid.at.y) in [(slot.x, slot.y) for slot in own.slots]


def test_the_first_gem_lies_in_the_middle_as_soon_as_it_is_chosen() -> None:
    board = draw(deal(*HANDS), 0)
    ((laid),) = touch(board, "", "play ruby").laid
    own = board.panels[0]
    assert (laid.at.x - own.scale.workshop_left, laid.at.width) == (own.scale.column, own.scale.cell)
    changed = draw(play(deal(*HANDS), "A play ruby"), 0)
    assert [laid.at for laid in touch(changed, "", "play emerald").laid] == [laid.at]


def test_beyond_rows_that_float_there_is_room_for_a_finger_within_the_panel() -> None:
    board = draw(with_workshops(deal(*HANDS), "D / R", "", ""), 0)
    own = board.panels[0]
    for text in ("play ruby above", "play ruby below"):
        ((place,),) = touch(board, "play ruby", text).touches
        assert min(place.width, place.height) >= 50
        assert own.y < place.y
        assert place.y + place.height < own.y + own.height


def test_a_proclamation_lies_in_the_next_slot_of_the_row_named_first() -> None:
    board = draw(deal("*R A C D E S", *HANDS[1:]), 0)
    first = touch(board, "proclaim ruby", "proclaim ruby base").laid
    second = touch(board, "proclaim ruby base", "proclaim ruby base headstone")
    assert [laid.at for laid in first] == [laid.at for laid in second.laid]
    assert (first[0].at.x, first[0].at.y) == (board.guild[2].slots[0].x, board.guild[2].slots[0].y)
    ((row,),) = second.touches
    assert row.y == board.guild[0].y


def test_the_last_pick_of_each_seat_is_seen() -> None:
    state = with_workshops(deal(*HANDS), "D E / R", "", "")
    state = play(state, "A play ruby above", "B proclaim amethyst base", "C play emerald")
    board = draw(state, None)
    for seat, text in enumerate(("play ruby above", "proclaim amethyst base", "play emerald")):
        (box,) = find_marks(board, seat, text)
        panel = board.panels[seat]
        assert (panel.y < box.y < panel.y + panel.height) == text.startswith("play")
    assert not find_marks(board, 1, "play ruby row 2")


def test_a_gem_keeps_its_name_on_its_way_into_the_workshop() -> None:
    state = with_workshops(deal(*HANDS), "R / E", "", "")
    (held,) = [card.name for card in draw(state, 0).panels[0].hand if card.code == "R"]
    state = play(state, "A play ruby below", "B proclaim amethyst base", "C play emerald")
    assert held in [gem.name for gem in draw(state, 0).panels[0].gems]
