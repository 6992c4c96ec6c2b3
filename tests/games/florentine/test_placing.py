"""Placing cards: the cross, the corners, the colours (RULES.md, paragraphs 10 to 15)."""

from __future__ import annotations

import pytest

from games.florentine.components import CARD_CODES
from games.florentine.rules import RULES
from games.florentine.square import CELLS, LOOKS
from games.florentine.state import Phase, Place, State
from tests.games.florentine import oracle
from tests.games.florentine.positions import (
    deal_first,
    first_position,
    lay,
    list_texts,
    play,
    play_at_random,
    position,
    refuse,
)

CROSS = lay(*(f"rgrg {cell} N" for cell in sorted(oracle.CROSS)))
"""A filled cross of equal cards, red above and below, green on both sides: for looking at cells only."""


def test_the_first_card_goes_on_the_centre_turned_at_will() -> None:
    """Paragraph 11."""
    state = first_position()
    assert list_texts(state) == [
        f"place {card} d4 {facing}" for card in ("rrbb", "rrbg", "rrbo", "rrgb") for facing in "NESW"
    ]
    assert refuse(state, "place rrbb d5 N") == "centre-first"


def test_the_first_card_cannot_be_discarded() -> None:
    """Paragraph 11."""
    assert refuse(first_position(), "discard rrbb") == "first-card"
    assert RULES.write(RULES.default_move(first_position(), 0)) == "place rrbb d4 N"


def test_the_cross_grows_from_the_centre_by_the_next_cell_of_an_arm() -> None:
    """Paragraph 13."""
    state = play(first_position(), "place rrbb d4 N")
    for cell in ("d6", "d2", "a4", "b4", "f4", "e5", "c3", "a1"):
        assert refuse(state, f"place rrgg {cell} N") == "not-on-cross", cell
    assert {text.split()[2] for text in list_texts(state) if text.startswith("place")} == {
        "c4",
        "d3",
        "d5",
        "e4",
    }
    longer = play(state, "place rrgg d5 S")
    assert refuse(longer, f"place {longer.hands[2][0]} d5 N") == "occupied"
    assert {text.split()[2] for text in list_texts(longer) if text.startswith("place")} <= {
        "c4",
        "d3",
        "d6",
        "e4",
    }


def test_touching_edges_have_the_same_colour() -> None:
    """Paragraph 15."""
    state = play(first_position(), "place rrbb d4 N")
    assert refuse(state, "place rrgg d5 N") == "colours-differ"
    assert refuse(state, "place rrgg d5 W") == "colours-differ"
    assert play(state, "place rrgg d5 S").square[CELLS.index("d5")] == "ggrr"
    assert play(state, "place rrgg d5 E").square[CELLS.index("d5")] == "grrg"


def test_a_card_may_be_discarded_even_when_it_fits() -> None:
    """Paragraph 12."""
    before = first_position()
    state = play(before, "place rrbb d4 N", "discard rrgg")
    assert state.pool == ("rrgg",)
    assert state.hands[1] == ("rrgo", "rrob", "rrog", before.pile[1])
    assert state.turn == 2


def test_after_a_turn_the_top_card_of_the_pile_is_drawn() -> None:
    """Paragraph 12."""
    before = first_position()
    after = play(before, "place rrbb d4 N")
    assert after.hands[0] == ("rrbg", "rrbo", "rrgb", before.pile[0])
    assert after.pile == before.pile[1:]


def test_corners_open_when_the_cross_is_filled_and_not_before() -> None:
    """Paragraphs 13 and 14."""
    unfinished = list(CROSS)
    unfinished[CELLS.index("a4")] = ""
    assert refuse(position(tuple(unfinished), pool="rbrg"), "place rbrg c5 S") == "not-on-cross"
    state = position(CROSS, pool="rbrg")
    assert list_texts(state) == [f"place rbrg {at}" for at in ("c3 S", "c5 S", "e3 N", "e5 N")]
    for cell in ("a6", "b5", "a1", "g7", "f6"):
        assert refuse(state, f"place rbrg {cell} S") == "not-in-corner", cell


def test_a_corner_has_exactly_one_card_beside_it_and_one_above_or_below() -> None:
    """Paragraph 14: a hole between four cards is no corner, though the card would fit."""
    square = list(CROSS)
    for cell in ("c5", "b6", "c7"):
        square[CELLS.index(cell)] = "rgrg"
    state = position(tuple(square), pool="rgrg")
    assert refuse(state, "place rgrg c6 N") == "not-in-corner"
    square[CELLS.index("b6")] = square[CELLS.index("c7")] = ""
    assert play(position(tuple(square), pool="rgrg"), "place rgrg c6 N").square[CELLS.index("c6")] == "rgrg"


def test_the_card_must_be_in_the_hand_or_later_in_the_pool() -> None:
    """Paragraphs 12 and 17."""
    state = play(first_position(), "place rrbb d4 N")
    assert refuse(state, "place rrbg d5 E") == "not-in-hand"
    assert refuse(state, "discard rrbg") == "not-in-hand"
    pooled = position(lay("rrbb d4 N"), pool="rrgg rroo")
    assert refuse(pooled, "place rbrb d5 N") == "not-in-pool"
    assert refuse(pooled, "discard rrgg") == "wrong-phase"


def test_a_facing_that_looks_the_same_is_refused_when_it_is_not_the_first() -> None:
    """Paragraph 6; only the notation folds them, so that a record has one text for one move."""
    state = position(lay("rrbb d4 N"), pool="rbrb")
    legal = list(RULES.legal_moves(state, 0))
    assert Place("rbrb", "d5", "N") in legal
    assert Place("rbrb", "d5", "S") not in legal
    assert RULES.parse(state, 0, "place rbrb d5 S") == Place("rbrb", "d5", "N")


def list_by_oracle(state: State) -> set[tuple[str, str, str]]:
    """List every placement of a card at hand that the oracle allows, with the first of equal facings."""
    cards = state.pool if state.phase is Phase.POOL else state.hands[state.turn]
    laid = oracle.read_square(state.square)
    found = set()
    for card in cards:
        for cell in CELLS:
            seen: list[oracle.Edges] = []
            for facing in "NESW":
                edges = oracle.turn(card, facing)
                if edges not in seen and oracle.may_place(laid, edges, cell):
                    found.add((card, cell, facing))
                seen.append(edges)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_legal_placements_are_those_of_the_oracle(seats: int) -> None:
    """Paragraphs 11 to 15, at every ply of a random match."""
    corners = 0
    for state in play_at_random(seats, f"oracle {seats}"):
        if state.phase in (Phase.HANDS, Phase.POOL):
            moves = [move for move in RULES.legal_moves(state, state.turn) if isinstance(move, Place)]
            placed = [(move.card, move.cell, move.facing) for move in moves]
            assert set(placed) == list_by_oracle(state)
            assert placed == sorted(
                placed, key=lambda at: (CARD_CODES.index(at[0]), CELLS.index(at[1]), "NESW".index(at[2]))
            )
            corners += sum(cell not in oracle.CROSS for _, cell, _ in placed)
    assert corners > 20


def test_every_look_is_a_turned_card() -> None:
    """Paragraph 6: clockwise from where the first letter faces."""
    for card, looks in LOOKS.items():
        for look, facing in looks.items():
            assert dict(zip("NESW", look, strict=True)) == oracle.turn(card, facing)


def test_worked_example_of_the_first_two_cards() -> None:
    """rrbg on d4 facing north and rrgb on e4 facing west touch along a red edge."""
    state = first_position(2, deal_first("rrbg", "rrbo", "rrbb", "rrgg", "rrgb", "rrob", "rroo", "rrgo"))
    after = play(state, "place rrbg d4 N", "place rrgb e4 W")
    assert after.square[CELLS.index("d4")] == "rrbg"
    assert after.square[CELLS.index("e4")] == "rgbr"
