"""The places of the pieces on the picture."""

from __future__ import annotations

from dataclasses import replace

from games.contract import ENGLISH, Asked
from games.gembatan import words
from games.gembatan.layout import WIDTH, find_gesture, find_marks, layout
from games.gembatan.rules import RULES
from games.picture import Box
from tests.games.gembatan.positions import play, set_up

NAMES = ("Ana", "Bob")


def test_neighbours_share_an_edge_and_north_is_up() -> None:
    state = set_up("RB-- 0,0 N; RG-- 1,0 S; GO-- 0,1 E", hands=("RO", "RB"), gem_tray="YO")
    board = layout(RULES.view(state, 0), NAMES)
    start, east, north = board.tiles
    assert (east.y, north.x) == (start.y, start.x)
    assert round(east.x - start.x, 1) == round(start.y - north.y, 1) == start.box.width == board.frame.size


def test_each_half_of_a_gem_lies_on_the_tile_with_its_colour() -> None:
    """Blue on the start tile, green on the tile to its east; red north of the start tile, yellow on it."""
    state = set_up("RB-- 0,0 N; RG-- 1,0 S", "BG 0,0 E", hands=("RO", "RB"), gem_tray="YO")
    board = layout(RULES.view(state, 0), NAMES)
    (gem,) = board.gems
    assert (gem.colours, gem.is_upright) == ("BG", False)
    assert gem.x == (board.tiles[0].x + board.tiles[1].x) / 2
    assert board.tiles[0].cutouts == ("RN",)
    upright = set_up("BY-- 0,0 W; RG-- 0,1 S", "RY 0,0 N", hands=("RO", "RB"), gem_tray="YO")
    (gem,) = layout(RULES.view(upright, 0), NAMES).gems
    assert (gem.colours, gem.is_upright) == ("RY", True)


def test_the_latest_play_stands_out() -> None:
    state = set_up(hands=("RG-- BG", "RB"), gem_tray="YO")
    after = play(state, "play RG-- 1,0 S gem BG W").state
    board = layout(RULES.view(after, 0), NAMES)
    assert [tile.is_new for tile in board.tiles] == [False, True]
    assert [gem.is_new for gem in board.gems] == [True]
    tile, socket = find_marks(board, 0, "play RG-- 1,0 S gem BG W")
    assert (tile.x + tile.width / 2, tile.y + tile.height / 2) == (board.tiles[1].x, board.tiles[1].y)
    assert (socket.x + socket.width / 2, socket.y + socket.height / 2) == (board.gems[0].x, board.gems[0].y)


def test_the_widest_lay_out_stays_inside() -> None:
    state = set_up("; ".join(f"R-B- {x},0 E" for x in range(60)), hands=("RO", "RB"), gem_tray="YO")
    board = layout(RULES.view(state, 0), NAMES)
    assert all(is_within(tile.box, board.floor) for tile in board.tiles)
    assert board.width == WIDTH
    assert not board.is_lettered
    assert board.panels[-1].y + board.panels[-1].height < board.height


def is_within(box: Box, room: Box) -> bool:
    return (
        room.x <= box.x
        and box.x + box.width <= room.x + room.width
        and room.y <= box.y
        and box.y + box.height <= room.y + room.height
    )


def test_empty_sockets_and_cells_for_a_tile_are_shown_while_the_match_runs() -> None:
    state = set_up("RB-- 0,0 N; RG-- 1,0 S", hands=("RG-- BG", "RB"))
    running = layout(RULES.view(state, 0), NAMES)
    assert [tile.cutouts for tile in running.tiles] == [("RN", "BE"), ("RS", "GW")]
    assert {space.cell for space in running.spaces} == {"0,1", "1,-1"}
    over = play(state, "gem BG 0,0 E").state
    assert over.is_over
    assert layout(RULES.view(over, 0), NAMES).spaces == ()


def test_the_board_of_a_finished_match_shows_the_points_of_the_result() -> None:
    """Gems left in hand cost a point each: 5 + 1 − 0 and 9 − 3."""
    state = set_up(hands=("RG-- BG", "RB RB RO"), points=(5, 9), tile_tray="RY--")
    after = play(state, "play RG-- 1,0 S gem BG W").state
    outcome = RULES.outcome(after)
    assert outcome is not None
    assert tuple(panel.score for panel in layout(RULES.view(after, None), NAMES).panels) == outcome.scores
    drawn = words.draw(RULES.view(after, None), ENGLISH, NAMES)
    assert "Bob: 6 points" in drawn
    assert "scored" not in drawn
    assert "if it ended now" not in drawn


def test_a_second_gem_of_one_kind_is_another_piece_of_the_hand() -> None:
    state = set_up("RB-- 0,0 N; RB-- 5,0 N", hands=("BG BG RG-- RG--", "RB"), gem_tray="YO")
    board = layout(RULES.view(state, 0), NAMES)
    one = find_gesture(board, "play RG-- 1,0 S", "play RG-- 1,0 S gem BG W")
    begun = "play RG-- 1,0 S gem BG W + play RG-- 6,0 S"
    other = find_gesture(board, begun, f"{begun} gem BG W")
    assert one is not None
    assert other is not None
    first, second = board.panels[0].gems
    assert (one.touches[0], other.touches[0]) == ([first.touch, second.touch], [second.touch])
    assert ([laid.of for laid in one.laid], [laid.of for laid in other.laid]) == ([first.box], [second.box])


def test_a_gem_is_shown_in_a_socket_as_it_will_lie() -> None:
    """Also in one that a tile of this very move makes."""
    state = set_up("RB-- 0,0 N", hands=("RG-- BG", "RB"), gem_tray="YO")
    board = layout(RULES.view(state, 0), NAMES)
    shown = find_gesture(board, "play RG-- 1,0 S", "play RG-- 1,0 S gem BG W")
    assert shown is not None
    ((laid),) = shown.laid
    after = play(state, "play RG-- 1,0 S gem BG W").state
    after_board = layout(RULES.view(after, 0), NAMES)
    (gem,) = after_board.gems
    assert laid.turn == {"BG": 0, "GB": 180}[gem.colours]
    assert round(laid.at.width / board.frame.size, 2) == round(gem.box.width / after_board.frame.size, 2)


def test_pieces_to_trade_lie_on_the_place_for_them() -> None:
    state = set_up(hands=("RG-- BG BG", "RB"), gem_tray="YO YO", tile_tray="RY--")
    board = layout(RULES.view(state, 0), NAMES)
    assert board.trade is not None
    both = [
        find_gesture(board, "trade", "trade gems BG"),
        find_gesture(board, "trade gems BG", "trade gems BG BG"),
        find_gesture(board, "trade gems BG BG", "trade gems BG BG tiles RG--"),
    ]
    laid = [gesture.laid[0].at for gesture in both if gesture]
    assert len({(box.x, box.y) for box in laid}) == 3
    assert all(is_within(box, board.trade) for box in laid)
    assert layout(RULES.view(state, 1), NAMES).trade is None
    assert layout(RULES.view(replace(state, gem_tray=(), tile_tray=()), 0), NAMES).trade is None
    assert layout(RULES.view(state, 0), NAMES, Asked()).trade is None


def test_a_gem_keeps_its_name_when_it_is_laid() -> None:
    state = set_up(hands=("RG-- BG RB", "RB"), gem_tray="YO")
    before = layout(RULES.view(state, 0), NAMES)
    after = layout(RULES.view(play(state, "play RG-- 1,0 S gem BG W").state, 0), NAMES)
    assert after.gems[0].piece == next(gem.piece for gem in before.panels[0].gems if gem.code == "BG")
    assert [gem.piece for gem in after.panels[1].gems] == [gem.piece for gem in before.panels[1].gems]
