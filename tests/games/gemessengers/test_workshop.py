"""Sliding rows, held against a list of everything that fits (RULES.md, paragraphs 12 to 15)."""

from __future__ import annotations

from itertools import product

import pytest

from games.chance import NO_SEED, Chance
from games.contract import AmbiguousMove, IllegalMove, InvalidMove
from games.gemessengers.components import PIECES, Piece, Row
from games.gemessengers.rules import RULES
from games.gemessengers.state import Spot
from games.gemessengers.workshop import find_rows, list_offsets, list_spots
from tests.games.gemessengers.positions import deal, play, read_workshop, with_workshops

CIRCLET, PENDANT, SCEPTER = PIECES

each_piece = pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.name)


def cut_everything_that_fits(piece: Piece) -> dict[tuple[int, ...], set[int]]:
    """Every way to leave some neighbouring rows of a filled piece, each with one gem or more: sizes to offsets."""
    found: dict[tuple[int, ...], set[int]] = {}
    for kept in product(*(range(most + 1) for most in piece.capacities)):
        used = [row for row, size in enumerate(kept) if size]
        if used and used == list(range(used[0], used[-1] + 1)):
            found.setdefault(tuple(kept[row] for row in used), set()).add(used[0])
    return found


@each_piece
def test_rows_fit_exactly_where_a_filled_piece_can_be_cut_down_to_them(piece: Piece) -> None:
    fitting = cut_everything_that_fits(piece)
    for count in (1, 2, 3, 4):
        for sizes in product(range(1, 5), repeat=count):
            assert set(list_offsets(sizes, piece.capacities)) == fitting.get(sizes, set())


@each_piece
def test_a_gem_may_go_exactly_where_the_result_fits(piece: Piece) -> None:
    fitting = cut_everything_that_fits(piece)
    for sizes in fitting:
        expected = [
            Spot(f"row {place + 1}")
            for place in range(len(sizes))
            if (*sizes[:place], sizes[place] + 1, *sizes[place + 1 :]) in fitting
        ]
        expected += [Spot.ABOVE] * ((1, *sizes) in fitting) + [Spot.BELOW] * ((*sizes, 1) in fitting)
        assert list(list_spots(sizes, piece.capacities)) == expected


@each_piece
def test_an_unfinished_workshop_has_always_room(piece: Piece) -> None:
    """Otherwise a seat could be stuck with gems only."""
    for sizes in cut_everything_that_fits(piece):
        assert bool(list_spots(sizes, piece.capacities)) == (sum(sizes) < 6)


@pytest.mark.parametrize(
    ("piece", "workshop", "rows"),
    [
        (CIRCLET, "", None),
        (CIRCLET, "D", None),
        (CIRCLET, "D E", None),
        (CIRCLET, "E / D", None),
        (CIRCLET, "D E R", [Row.BASE]),
        (CIRCLET, "D E / R", [Row.DECORATION, Row.BASE]),
        (CIRCLET, "D / E R S", [Row.DECORATION, Row.BASE]),
        (CIRCLET, "E / D / R", [Row.HEADSTONE, Row.DECORATION, Row.BASE]),
        (PENDANT, "D E R", [Row.DECORATION]),
        (PENDANT, "D / E / R", [Row.HEADSTONE, Row.DECORATION, Row.BASE]),
        (PENDANT, "D / E", None),
        (PENDANT, "D E", None),
        (PENDANT, "D E / R", None),
        (SCEPTER, "D E R", [Row.HEADSTONE]),
        (SCEPTER, "D / E E", [Row.DECORATION, Row.BASE]),
        (SCEPTER, "D", None),
        (SCEPTER, "D D / E", [Row.HEADSTONE, Row.DECORATION]),
    ],
)
def test_when_rows_are_settled(piece: Piece, workshop: str, rows: list[Row] | None) -> None:
    """Paragraph 15."""
    found = find_rows(read_workshop(workshop), piece)
    assert (list(found) if found else None) == rows


HANDS = ("D E R S T A", "D E R S T A")


def test_a_gem_beside_the_first_one_shows_that_this_row_is_no_headstone() -> None:
    """Worked example: diamond, then emerald beside it."""
    state = play(
        deal(*HANDS), "A play diamond", "B play diamond", "A play emerald row 1", "B play emerald above"
    )
    assert state.workshops == ((("D", "E"),), (("E",), ("D",)))
    assert list_offsets((2,), CIRCLET.capacities) == (1, 2)
    assert list_offsets((1, 1), CIRCLET.capacities) == (0, 1)


def test_three_rows_are_settled() -> None:
    """Worked example: diamond, emerald above, ruby below the diamond; free are 0, 1 and 2."""
    lines = ("A play diamond", "B play ruby", "A play emerald above", "B play emerald row 1")
    state = play(deal(*HANDS), *lines, "A play ruby below", "B play topaz above")
    workshop = state.workshops[0]
    rows = find_rows(workshop, CIRCLET)
    assert workshop == (("E",), ("D",), ("R",))
    assert rows == (Row.HEADSTONE, Row.DECORATION, Row.BASE)
    free = [CIRCLET.capacities[row] - len(gems) for row, gems in zip(rows, workshop, strict=True)]
    assert free == [0, 1, 2]


@pytest.mark.parametrize(
    ("workshop", "text", "code"),
    [
        ("", "play ruby above", "first-gem"),
        ("", "play ruby row 1", "first-gem"),
        ("D", "play ruby", "no-spot"),
        ("D", "play ruby row 2", "no-such-row"),
        ("D / E", "play ruby row 3", "no-such-row"),
        ("D E R", "play ruby row 1", "does-not-fit"),
        ("D E R", "play ruby below", "does-not-fit"),
        ("D E / R", "play ruby row 1", "does-not-fit"),
        ("E / D / R", "play ruby above", "does-not-fit"),
        ("E / D / R", "play ruby row 1", "does-not-fit"),
        ("E / D / R S T", "play ruby row 3", "does-not-fit"),
        ("D", "play sapphire above", "not-in-hand"),
    ],
)
def test_a_gem_that_cannot_lie_there_is_refused(workshop: str, text: str, code: str) -> None:
    """Paragraphs 12 to 14."""
    state = with_workshops(deal("R R R E E E", "D E R S T A"), workshop, "")
    with pytest.raises(IllegalMove) as refusal:
        RULES.apply(state, 0, RULES.parse(state, 0, text), Chance(NO_SEED, "ply 1"))
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("workshop", "text", "canonical"),
    [
        ("E / D", "play ruby beside diamond", "play ruby row 2"),
        ("E / D", "play ruby beside row 2", "play ruby row 2"),
        ("E / D D", "play ruby beside diamond", "play ruby row 2"),
        ("E / D", "play ruby above", "play ruby above"),
        ("E / D E / T", "play ruby headstone", "play ruby row 1"),
        ("D E / R", "play ruby headstone", "play ruby above"),
        ("D E / R", "play ruby decoration", "play ruby row 1"),
        ("D E / R", "play ruby base", "play ruby row 2"),
        ("D E R", "play ruby decoration", "play ruby above"),
    ],
)
def test_other_ways_to_name_a_place(workshop: str, text: str, canonical: str) -> None:
    state = with_workshops(deal("R R R E E E", "D E R S T A"), workshop, "")
    assert RULES.write(RULES.parse(state, 0, text)) == canonical


@pytest.mark.parametrize(
    ("workshop", "text", "code"),
    [
        ("E / D", "play ruby headstone", "not-there"),
        ("", "play ruby base", "not-there"),
        ("D E R", "play ruby headstone", "not-there"),
        ("E / D", "play ruby beside topaz", "no-such-neighbour"),
        ("E / D", "play ruby beside", "no-neighbour"),
        ("E / D", "play ruby row", "no-number"),
        ("E / D", "play ruby row 4", "bad-row"),
        ("E / D", "play ruby row two", "not-a-number"),
    ],
)
def test_a_place_that_is_none_is_invalid(workshop: str, text: str, code: str) -> None:
    state = with_workshops(deal("R R R E E E", "D E R S T A"), workshop, "")
    with pytest.raises(InvalidMove) as refusal:
        RULES.parse(state, 0, text)
    assert refusal.value.code == code


def test_beside_is_ambiguous_when_several_rows_hold_such_a_gem() -> None:
    state = with_workshops(deal("R R R E E E", "D E R S T A"), "E / D E / T", "")
    with pytest.raises(AmbiguousMove) as refusal:
        RULES.parse(state, 0, "play ruby beside emerald")
    assert refusal.value.code == "ambiguous-row"
    assert refusal.value.message.params["rows"] == "row 1, row 2"
