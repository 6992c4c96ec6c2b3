"""The count (RULES.md, paragraphs 24 to 28)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.gemessengers.components import PIECES, Piece, Row
from games.gemessengers.rules import RULES
from games.gemessengers.scoring import rank_scores, value_gem, value_workshop
from tests.games.gemessengers.positions import deal, play, read_workshop, with_workshops

CIRCLET, PENDANT, SCEPTER = PIECES


def test_the_guild_of_the_example() -> None:
    """Ruby alone, then citrine beside it while topaz goes to the base."""
    state = deal("*R A A A A A", "*C C C C C C", "*T T T T T T")
    state = play(state, "A proclaim ruby headstone", "B play citrine", "C play topaz")
    assert [value_gem(gem, Row.HEADSTONE, state.guild) for gem in "RCT"] == [4, 1, 1]
    state = replace(state, hands=(("*C",), ("*T",), ("T",)))
    state = play(state, "A proclaim citrine headstone", "B proclaim topaz base", "C play topaz row 1")
    values = {(gem, row): value_gem(gem, row, state.guild) for gem in "ACDERST" for row in Row}
    assert {key: value for key, value in values.items() if value != 1} == {
        ("R", Row.HEADSTONE): 3,
        ("C", Row.HEADSTONE): 3,
        ("T", Row.BASE): 4,
    }


@pytest.mark.parametrize(
    ("piece", "guild", "workshop", "value"),
    [
        (CIRCLET, "R / /", "R / R R / R R R", 4 + 5),
        (CIRCLET, "/ R /", "R / R R / R R R", 8 + 4),
        (CIRCLET, "/ / R", "R / R R / R R R", 12 + 3),
        (CIRCLET, "/ / R E", "R / E E / R R E", 9 + 3),
        (CIRCLET, "/ / R E S", "R / E E / R S E", 6 + 3),
        (PENDANT, "R / E / S", "R E / E E T / S", 4 + 1 + 8 + 1 + 4),
        (SCEPTER, "R E / / S", "R E T / E / S S", 3 + 3 + 1 + 1 + 8),
        (CIRCLET, "R / R / R", "R", 1),
        (CIRCLET, "/ / R", "R R", 2),
        (CIRCLET, "/ / R", "R R R", 12),
        (CIRCLET, "/ R / T", "R R / T", 4 + 4 + 4),
        (CIRCLET, "/ / ", "", 0),
    ],
)
def test_the_value_of_a_workshop(piece: Piece, guild: str, workshop: str, value: int) -> None:
    """Paragraphs 24, 25 and 28: until rows are settled every gem counts 1."""
    rows = tuple(tuple(row.split()) for row in guild.split("/"))
    assert value_workshop(read_workshop(workshop), rows, piece) == value


def test_the_standing_has_totals_tokens_and_gems() -> None:
    """Paragraph 28."""
    state = with_workshops(deal("A A A A A A", "C C C C C C"), "A / A A / A A", "C")
    state = replace(state, guild=(("A",), ("C",), ()), taken=(2, 1), results=((5, 9),))
    assert list(RULES.standing(state)) == [5 + 2 + 4 + 4, 9 + 1 + 1]
    assert list(RULES.ranks(state)) == [1, 2]


def test_equal_totals_share_a_rank() -> None:
    """Paragraph 27."""
    assert rank_scores((30, 41, 30, 41, 12)) == (3, 1, 3, 1, 5)
