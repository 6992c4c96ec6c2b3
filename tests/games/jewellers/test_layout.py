"""Jewellers as a picture: where things stand, what is touched, where the last move is seen."""

from __future__ import annotations

from dataclasses import replace

from games.jewellers.components import GEMS
from games.jewellers.layout import Board, SeatPanel, find_gesture, find_marks, layout
from games.jewellers.rules import RULES
from games.jewellers.state import Phase, State
from games.picture import Gesture
from tests.games.jewellers.positions import SILVER, first_position, play, with_sales

NAMES = ("Ana", "Bob", "Cy", "Dee")


def draw(state: State, reader: int | None) -> Board:
    return layout(RULES.view(state, reader), NAMES[: len(state.hands)])


def touch(board: Board, begun: str, text: str) -> Gesture:
    gesture = find_gesture(board, begun, text)
    assert gesture is not None
    return gesture


def test_the_picture_shows_the_auction() -> None:
    state = play(first_position(3, options=SILVER), "silver P4", "draw medium", "bid 9", "bid 10", "pass")
    board = draw(state, 1)
    bob, cy, ana = board.panels
    assert (ana.is_starter, ana.is_turn, ana.total, ana.is_leading) == (True, True, 9, False)
    assert (bob.is_reader, bob.total, bob.is_leading) == (True, 10, True)
    assert (cy.has_passed, cy.total) == (True, 0)
    assert {card.value: card.place for card in ana.cards}[9] == "table"
    assert (board.jewel_name, board.brings_silver, board.leader, board.lead) == (
        "medium pearl",
        True,
        "Bob",
        10,
    )
    assert [square.jewel.code for square in board.squares if square.jewel and square.status == "now"] == [
        "Pm"
    ]
    assert [pip.time for pip in board.pips].count("later") == len(GEMS) - 1


def test_the_tower_stands_between_its_four_squares() -> None:
    board = draw(play(first_position(2, options=SILVER), "silver P4"), None)
    tower = board.tower
    assert tower is not None
    corners = {(square.x, square.y): square for square in board.squares}
    around = [
        square.jewel.code
        for (x, y), square in corners.items()
        if square.jewel and abs(x + 29 - tower.x) < 58 and abs(y + 27 - tower.y) < 54
    ]
    assert sorted(around) == ["Pm", "Ps", "Sl", "Sm"]


def test_silver_that_was_never_placed_waits_beside_the_plan_and_goes_to_a_junction() -> None:
    board = draw(first_position(2, options=SILVER), 0)
    assert board.tower is not None
    assert board.tower.x > board.plan.x + board.plan.width
    ((laid),) = touch(board, "", "silver P4").laid
    assert touch(board, "", "silver P4").touches == [[laid.at]]


def test_belongings_of_a_rich_seat_stay_inside_its_panel() -> None:
    state = replace(with_sales(first_position(2), " ".join(GEMS), ""), silver=(0, 0, 0), phase=Phase.OVER)
    for reader in (0, 1):
        board = draw(state, reader)
        rich: SeatPanel = board.panels[reader]
        places = {(jewel.x, jewel.y) for jewel in rich.jewels} | {(piece.x, piece.y) for piece in rich.silver}
        assert len(places) == len(GEMS) + 3
        for x, y in places:
            assert 20 <= x <= board.width - 20
            assert rich.y < y < rich.y + rich.height - 10
        assert rich.bonus == 17 + 10
        assert board.panels[1].y >= board.panels[0].y + board.panels[0].height


def test_cards_that_are_touched_lie_one_after_the_other_on_the_table() -> None:
    state = play(first_position(3), "draw medium", "bid 3", "bid 4", "pass")
    board = draw(state, 0)
    own = board.panels[0]
    assert [(card.value, card.place) for card in own.cards if card.place == "table"] == [(3, "table")]
    first, second = touch(board, "", "bid 2 8").laid
    assert [first.at, second.at] == list(own.table[:2])
    ((next_laid),) = touch(board, "bid 2", "bid 2 8").laid
    assert next_laid == second


def test_who_starts_a_round_sees_no_place_to_pass() -> None:
    state = play(first_position(3), "draw medium")
    assert touch(draw(state, 0), "", "pass").touches == [[]]
    ((place,),) = touch(draw(play(state, "bid 3"), 1), "", "pass").touches
    assert min(place.width, place.height) >= 50


def test_the_last_move_of_each_seat_is_seen() -> None:
    state = play(first_position(3, options=SILVER), "silver P4")
    assert len(find_marks(draw(state, None), 0, "silver P4")) == 1
    state = play(state, "draw medium", "bid 3", "pass", "bid 4")
    board = draw(state, None)
    ana, bob, cy = board.panels
    for panel, text in ((ana, "bid 3"), (bob, "pass"), (cy, "bid 4")):
        (box,) = find_marks(board, "ABC".index(panel.letter), text)
        assert panel.y < box.y < panel.y + panel.height
    assert find_marks(board, 0, "draw medium") == [board.side]
    assert find_marks(board, 1, "bid 9") == ()


def test_every_piece_has_a_name_of_its_own() -> None:
    state = play(first_position(3, options=SILVER), "silver P4", "draw medium", "bid 3", "bid 4", "pass")
    board = draw(state, 0)
    names = [card.name for panel in board.panels for card in panel.cards if card.name]
    assert len(set(names)) == len(names) == 27
