"""The reconstructed pieces against the facts that are certain."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from games.chance import NO_SEED, Chance
from games.gembatan.components import COLOURS, FACINGS, GEMS, KINDS, LAID, PAIRS, TILES
from games.gembatan.rules import RULES


def test_there_are_sixty_of_each() -> None:
    """Paragraphs 1, 2 and 4."""
    assert len(TILES) == len(set(TILES)) == 60
    assert Counter(GEMS) == {one + other: 4 for one, other in combinations("RBGYPO", 2)}


def test_every_pair_has_a_tile_of_each_kind_in_the_order_of_the_components() -> None:
    """Corner, straight, tee, cross for each pair in turn: the order that a seed shuffles."""
    for place, pair in enumerate(PAIRS):
        corner, straight, tee, cross = TILES[4 * place : 4 * place + 4]
        one, other = pair
        assert (corner, straight, cross) == (f"{one}{other}--", f"{one}-{other}-", one + other + one + other)
        assert tee in (f"{one}{other}{one}-", f"{other}{one}{other}-")
    assert TILES[:8] == ("RB--", "R-B-", "RBR-", "RBRB", "RG--", "R-G-", "GRG-", "RGRG")
    assert len(KINDS) == 4
    assert "".join(COLOURS) == "RBGYPO"


def test_the_first_letter_faces_the_side_that_is_named() -> None:
    """The rule file's example: `RBR-` with its first letter to the east."""
    assert LAID["RBR-"] == {"N": "RBR-", "E": "-RBR", "S": "R-RB", "W": "BR-R"}


def test_a_cross_has_two_facings_and_every_other_tile_four() -> None:
    """Paragraph 28."""
    for code in TILES:
        assert FACINGS[code] == (("N", "E") if "-" not in code else ("N", "E", "S", "W"))


def test_a_seed_shuffles_tiles_then_gems_then_draws_the_first_seat() -> None:
    """Paragraphs 5 to 7, in the order that the deal of a record names."""
    chance = Chance(NO_SEED, "deal")
    tiles, gems = list(TILES), list(GEMS)
    chance.shuffle(tiles)
    chance.shuffle(gems)
    first = chance.below(3)
    state = RULES.deal(seats=3, options={}, chance=Chance(NO_SEED, "deal"))
    assert state.turn == first
    assert [(tile.cell, tile.code, tile.facing) for tile in state.tiles] == [((0, 0), tiles[0], "N")]
    for place in range(3):
        seat = (first + place) % 3
        assert state.tile_hands[seat] == tuple(sorted(tiles[1 + 4 * place : 5 + 4 * place]))
        assert state.gem_hands[seat] == tuple(sorted(gems[4 * place : 4 * place + 4]))
    assert state.tile_tray == tuple(tiles[13:])
    assert state.gem_tray == tuple(gems[12:])
    assert RULES.standing(state) == (-4, -4, -4)


def test_a_deal_names_the_first_seats_pieces_first() -> None:
    deal = f"tiles: {' '.join(TILES)} ; gems: {' '.join(GEMS)}"
    state = RULES.deal_explicit(seats=2, options={}, deal=deal, first=1)
    assert state.turn == 1
    assert state.tiles[0].code == "RB--"
    assert state.tile_hands[1] == ("R-B-", "RBR-", "RBRB", "RG--")
    assert state.tile_hands[0] == ("GRG-", "R-G-", "RGRG", "RY--")
    assert state.gem_hands == (("RG",) * 4, ("RB",) * 4)
