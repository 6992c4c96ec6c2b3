"""Writing and reading Florentine Domino's moves."""

from __future__ import annotations

import pytest

from games.contract import AmbiguousMove, GameError, InvalidMove
from games.florentine.rules import RULES
from games.florentine.state import Black, Decline, Discard, Move, Phase, Place
from tests.games.florentine.positions import first_position, lay, position, refuse

STATE = position(lay("rrbg d4 N"), Phase.HANDS, hand="rrgb rrgo rbrb bobo", pool="ggoo", pile="gogo bbgg")
"""d4 shows red north and east, blue south, green west."""
BLACKS = position(lay("rrbg a4 N"), Phase.BLACK)


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Place("rrbg", "d5", "E"), "place rrbg d5 E"),
        (Discard("rrbg"), "discard rrbg"),
        (Black("a3", "W"), "black a3 W"),
        (Decline(), "decline"),
    ],
)
def test_canonical_texts(move: Move, text: str) -> None:
    assert RULES.write(move) == text
    assert RULES.parse(STATE, 0, text) == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("PLACE RRGB D5 W", Place("rrgb", "d5", "W")),
        ("pl  rrgb d5 west.", Place("rrgb", "d5", "W")),
        ("place red-red-green-blue d5 w", Place("rrgb", "d5", "W")),
        ("place red red green blue d5 w", Place("rrgb", "d5", "W")),
        ("p r r gr bl d5 s", Place("rrgb", "d5", "S")),
        ("place rrgb d5 sou", Place("rrgb", "d5", "S")),
        ("place bobo d3 n", Place("bobo", "d3", "N")),
        ("place bobo d3 s", Place("bobo", "d3", "N")),
        ("place bobo d3 w", Place("bobo", "d3", "E")),
        ("disc bobo", Discard("bobo")),
        ("d bobo", Discard("bobo")),
        ("discard blue-ochre-blue-ochre", Discard("bobo")),
        ("discard obob", Discard("bobo")),
        ("discard b", Discard("bobo")),
        ("discard rb", Discard("rbrb")),
    ],
)
def test_lenient_reading(text: str, move: Move) -> None:
    assert RULES.parse(STATE, 0, text) == move


def test_a_card_read_from_another_edge_faces_with_the_letter_that_was_written_first() -> None:
    """`grrb` facing north shows green north, red east and south, blue west: that is `rrbg` facing east."""
    assert RULES.parse(STATE, 0, "place grrb d5 N") == Place("rrbg", "d5", "E")
    assert RULES.parse(STATE, 0, "place bgrr d5 N") == Place("rrbg", "d5", "S")
    assert RULES.parse(STATE, 0, "place rbgr d5 N") == Place("rrbg", "d5", "W")


def test_the_facing_may_be_left_out_when_all_that_fit_look_the_same() -> None:
    """d3 asks for blue in the north: rrgb has one blue edge, bobo two that look the same."""
    assert RULES.parse(STATE, 0, "place rrgb d3") == Place("rrgb", "d3", "E")
    assert RULES.parse(STATE, 0, "place bobo d3") == Place("bobo", "d3", "N")
    assert RULES.parse(STATE, 0, "place rbrb d5") == Place("rbrb", "d5", "N")


def test_a_facing_that_is_needed_is_asked_for() -> None:
    """d5 asks for red in the south, and rrgb has two red edges."""
    with pytest.raises(AmbiguousMove, match="ambiguous-facing") as refusal:
        RULES.parse(STATE, 0, "place rrgb d5")
    assert refusal.value.message.params["facings"] == "E, S"
    with pytest.raises(AmbiguousMove, match="ambiguous-facing"):
        RULES.parse(first_position(), 0, "place rrbb d4")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("place bobo d5", "colours-differ"),
        ("place rrgb d7", "not-on-cross"),
        ("place rrgb d4", "occupied"),
        ("place rrbo d5", "not-in-hand"),
    ],
)
def test_a_move_that_is_illegal_anyway_is_not_called_ambiguous(text: str, code: str) -> None:
    assert refuse(STATE, text) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("place", "no-card"),
        ("place d5 N", "no-card"),
        ("place rrgb", "no-cell"),
        ("place rrgb N", "unknown-cell"),
        ("place rrgb h5 N", "unknown-cell"),
        ("place rrgb d8 N", "unknown-cell"),
        ("place rrgb d5 up", "unknown-side"),
        ("place rrgb d5 N now", "unexpected"),
        ("place rrrr d5 N", "unknown-card"),
        ("place rrggo d5 N", "unknown-card"),
        ("place go d5 N", "unknown-card"),
        ("discard", "no-card"),
        ("discard rrgb rbrb", "unexpected"),
        ("decline now", "unexpected"),
        ("black", "no-cell"),
        ("black d4", "no-edge"),
        ("swap rrgb", "unknown-word"),
        ("dec", "unknown-word"),
    ],
)
def test_unreadable_moves(text: str, code: str) -> None:
    with pytest.raises(InvalidMove) as refusal:
        RULES.parse(STATE, 0, text)
    assert refusal.value.code == code


def test_a_beginning_that_several_cards_share_is_ambiguous() -> None:
    with pytest.raises(AmbiguousMove, match="ambiguous-card"):
        RULES.parse(STATE, 0, "discard rr")


def test_only_the_own_cards_are_meant_by_a_beginning() -> None:
    """Another seat's reading must not depend on a hand that it cannot see."""
    state = first_position()
    with pytest.raises(AmbiguousMove):
        RULES.parse(state, 0, "place rrb d4 N")
    with pytest.raises(InvalidMove, match="unknown-card"):
        RULES.parse(state, 1, "place rrb d4 N")


def test_the_outer_edge_may_be_left_out_where_there_is_only_one() -> None:
    assert RULES.parse(BLACKS, 0, "black a4") == Black("a4", "W")
    assert RULES.parse(BLACKS, 0, "b a4 west") == Black("a4", "W")
    assert RULES.parse(BLACKS, 0, "d") == Decline()
    with pytest.raises(AmbiguousMove, match="ambiguous-edge"):
        RULES.parse(BLACKS, 0, "black a1")


@pytest.mark.parametrize("phase", list(Phase))
def test_words_in_full_are_read_in_every_phase(phase: Phase) -> None:
    """A plan may name moves of a later phase; their legality is checked when they are played."""
    state = position(lay("rrbg d4 N"), phase, hand="rrgb rrgo rbrb bobo")
    for text in ("place rrgb d3 E", "discard rrgb", "black a3 W", "decline"):
        assert RULES.write(RULES.parse(state, 0, text)) == text


# Building a move piece by piece.


def list_choices(partial: str) -> list[tuple[str, bool]]:
    return [(choice.text, choice.complete) for choice in RULES.steps(STATE, 0, partial)]


def test_a_move_is_built_from_card_cell_and_facing() -> None:
    assert list_choices("") == [
        ("place rrgb", False),
        ("place rrgo", False),
        ("place rbrb", False),
        ("place bobo", False),
        ("discard rrgb", True),
        ("discard rrgo", True),
        ("discard rbrb", True),
        ("discard bobo", True),
    ]
    assert list_choices("place rrgb") == [
        ("place rrgb c4 W", True),
        ("place rrgb d3 E", True),
        ("place rrgb d5", False),
        ("place rrgb e4", False),
    ]
    assert list_choices("place rrgb d5") == [("place rrgb d5 E", True), ("place rrgb d5 S", True)]
    assert list_choices("place rrgb d5 S") == []
    assert list_choices("discard rrgb") == []


def test_a_beginning_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(GameError):
        RULES.steps(STATE, 0, "place nothing")
    assert RULES.steps(STATE, 1, "") == ()
