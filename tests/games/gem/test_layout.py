"""GEM as a picture: where things stand, what is touched, where the last move is seen."""

from __future__ import annotations

from games.contract import seat_letter
from games.gem.layout import Board, find_gesture, find_marks, layout
from games.gem.rules import RULES
from games.gem.state import Phase, State
from games.picture import Box
from tests.games.gem.positions import ALL_COINS, first_position, on_day, play

NAMES = ("Ana", "Bob", "Cy", "Dee")
EVERYTHING = "SR RE EA AT TS D1 SE ET TR RA AS D2 SS RR EE AA TT D3"


def draw(state: State, reader: int | None) -> Board:
    return layout(RULES.view(state, reader), NAMES[: len(state.active)])


def list_touched(board: Board, begun: str, text: str) -> list[Box]:
    gesture = find_gesture(board, begun, text)
    assert gesture is not None
    return [box for touch in gesture.touches for box in touch]


def test_the_picture_shows_bids_oya_days_and_sleeping_cards() -> None:
    state = on_day(2, "D1 SS", active=(f"{ALL_COINS} SR", "1"), inactive=("RR", ""), calls=(2,))
    board = draw(state, 1)
    bob, ana = board.panels
    assert (ana.is_oya, ana.call, ana.bid, ana.is_leading) == (True, "bid", 2, True)
    assert (bob.is_turn, bob.is_reader, bob.call) == (True, True, "")
    assert [(card.code, card.active) for card in ana.cards] == [("SR", True), ("RR", False)]
    assert [coin.value for coin in ana.coins if coin.active] == [1, 2, 3]
    assert [day.time for day in board.days] == ["past", "now", "later", "later", "later", "later"]
    assert [day.cards for day in board.days] == [0, 2, *(len(pile) for pile in state.piles)]
    assert [card.code for card in board.open] == ["D1", "SS"]


def test_pieces_of_a_rich_seat_stay_inside_its_panel_and_within_a_phone() -> None:
    state = on_day(6, "", active=(f"{ALL_COINS} {EVERYTHING}", ALL_COINS), phase=Phase.INVEST, buyer=0)
    board = draw(state, 0)
    rich = board.panels[0]
    for card in rich.cards:
        assert 0 <= card.x <= board.width - card.width
        assert rich.y <= card.y <= rich.y + rich.height - card.height
    assert len({(card.x, card.y) for card in rich.cards}) == 18
    assert rich.y + rich.height <= 700


def test_forty_bids_stand_in_rows_on_a_phone() -> None:
    state = on_day(6, "D3", active=(f"{ALL_COINS} {EVERYTHING[:-3]}", ALL_COINS))
    board = draw(state, 0)
    assert [place.move for place in board.places] == [f"bid {amount}" for amount in range(40)]
    assert max(place.y for place in board.places) + board.place_height <= 700
    assert len({(place.x, place.y) for place in board.places}) == 40


def test_who_may_pass_touches_that_word_and_who_opens_does_not_see_it() -> None:
    state = first_position(3)
    assert "pass" not in [place.move for place in draw(state, 0).places]
    second = draw(play(state, "bid 0"), 1)
    assert len(list_touched(second, "", "pass")) == 1
    assert len(list_touched(second, "", "bid 1")) == 1
    assert draw(play(state, "bid 0"), 2).places == ()


def test_a_card_that_is_taken_lies_at_the_next_free_place_of_its_buyer() -> None:
    state = play(first_position(3), "bid 2", "pass", "pass")
    board = draw(state, 0)
    gesture = find_gesture(board, "", f"take {state.open[0]}")
    assert gesture is not None
    ((laid),) = gesture.laid
    own = board.panels[0]
    assert laid.at == own.slot
    assert own.y < laid.at.y <= own.y + own.height - laid.at.height
    assert all(coin.x + 25 <= laid.at.x for coin in own.coins)


def test_the_reader_comes_first_and_the_others_from_the_left() -> None:
    state = first_position(4)
    assert [panel.letter for panel in draw(state, 2).panels] == ["C", "D", "A", "B"]
    assert [panel.letter for panel in draw(state, None).panels] == ["A", "B", "C", "D"]


def test_the_last_move_of_each_seat_is_seen() -> None:
    state = play(first_position(3), "bid 1", "pass", "bid 2")
    board = draw(state, None)
    for seat, text in enumerate(("bid 1", "pass", "bid 2")):
        (box,) = find_marks(board, seat, text)
        panel = next(panel for panel in board.panels if panel.letter == seat_letter(seat))
        assert panel.y < box.y < panel.y + panel.height
    card = state.open[0]
    taken = draw(play(state, f"take {card} pay 2"), None)
    (box,) = find_marks(taken, 2, f"take {card} pay 2")
    assert (box.x, box.y) == next((own.x, own.y) for own in taken.panels[2].cards)
    assert find_marks(taken, 0, "bid 1") == ()


def test_every_piece_has_a_name_of_its_own() -> None:
    state = on_day(6, "D3", active=(f"{ALL_COINS} {EVERYTHING[:-3]}", ALL_COINS))
    board = draw(state, 0)
    names = [card.code for panel in board.panels for card in panel.cards]
    names += [coin.name for panel in board.panels for coin in panel.coins]
    names += [card.code for card in board.open]
    assert len(set(names)) == len(names) == 24
