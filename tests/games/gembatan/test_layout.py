"""The places of the pieces on the picture."""

from __future__ import annotations

from games.gembatan.layout import HEADER, INNER, MARGIN, WIDTH, layout
from games.gembatan.rules import RULES
from tests.games.gembatan.positions import play, set_up

NAMES = ("Ana", "Bob")


def test_neighbours_share_an_edge_and_north_is_up() -> None:
    state = set_up("RB-- 0,0 N; RG-- 1,0 S; GO-- 0,1 E", hands=("RO", "RB"), gem_tray="YO")
    board = layout(RULES.view(state, 0), NAMES)
    start, east, north = board.tiles
    assert (east.y, north.x) == (start.y, start.x)
    assert east.x - start.x == start.y - north.y == start.size


def test_each_half_of_a_gem_lies_on_the_tile_with_its_colour() -> None:
    """Blue on the start tile, green on the tile to its east."""
    state = set_up("RB-- 0,0 N; RG-- 1,0 S", "BG 0,0 E", hands=("RO", "RB"), gem_tray="YO")
    board = layout(RULES.view(state, 0), NAMES)
    (gem,) = board.gems
    colours = {half.colour: half.x for half in gem.halves}
    assert colours["B"] < board.tiles[1].x < colours["G"]
    assert board.sockets == ()
    assert [half.colour for half in board.tiles[0].cutouts] == ["R"]


def test_the_latest_play_stands_out() -> None:
    state = set_up(hands=("RG-- BG", "RB"), gem_tray="YO")
    after = play(state, "play RG-- 1,0 S gem BG W").state
    board = layout(RULES.view(after, 0), NAMES)
    assert [tile.is_new for tile in board.tiles] == [False, True]
    assert [gem.is_new for gem in board.gems] == [True]


def test_the_widest_lay_out_stays_inside() -> None:
    state = set_up("; ".join(f"R-B- {x},0 E" for x in range(60)), hands=("RO", "RB"), gem_tray="YO")
    board = layout(RULES.view(state, 0), NAMES)
    assert min(tile.x for tile in board.tiles) >= MARGIN
    assert max(tile.x + tile.size for tile in board.tiles) <= MARGIN + INNER
    assert all(tile.y >= HEADER for tile in board.tiles)
    assert board.width == WIDTH
    assert board.panels[-1].y + board.panels[-1].height < board.height


def test_empty_sockets_and_cells_for_a_tile_are_shown_while_the_match_runs() -> None:
    state = set_up("RB-- 0,0 N; RG-- 1,0 S", hands=("RG-- BG", "RB"))
    running = layout(RULES.view(state, 0), NAMES)
    assert [socket.code for socket in running.sockets] == ["BG"]
    assert {space.cell for space in running.spaces} == {"0,1", "1,-1"}
    over = play(state, "gem BG 0,0 E").state
    assert over.is_over
    assert layout(RULES.view(over, 0), NAMES).spaces == ()
