"""Reading and writing moves (RULES.md, "What to write")."""

from __future__ import annotations

import pytest

from games.contract import GameError
from games.gembatan import notation
from games.gembatan.state import GemStep, Pass, Play, TileStep, Trade
from tests.games.gembatan.positions import set_up

STATE = set_up(hands=("RBR- RB", "RG"))
TILE = TileStep("RBR-", (1, 0), "E", "RB", "W")
GEM = GemStep("RG", (0, 1))


def read(text: str) -> object:
    return notation.parse(STATE, 0, text)


def test_the_examples_of_the_rule_file_are_canonical() -> None:
    three = "play RBR- 3,0 E gem RB W + play YPY- 4,0 W gem GY W + gem RG 0,0 N"
    for text in ("play RBR- 1,0 E gem RB W", "gem RG 0,0 N", three, "trade gems RB RG tiles R-B-", "pass"):
        assert notation.write(notation.parse(STATE, 0, text)) == text
    assert read("play RBR- 1,0 E gem RB W + gem RG 0,0 N") == Play((TILE, GEM))


@pytest.mark.parametrize(
    "text",
    [
        "PLAY rbr- 1,0 e GEM br w.",
        "pl RBR. (1, 0) east g red-blue west",
        "play tee red-blue 1,0 E gem blue red W",
        "play tee br 1 ,0 e gem r/b w",
        "play  RBR–  1,0 E gem b r W",
    ],
)
def test_a_tile_step_is_read_leniently(text: str) -> None:
    assert read(text) == Play((TILE,))


def test_both_names_of_a_socket_mean_the_same() -> None:
    """Paragraph 28: the north or east side is written."""
    assert read("gem RG 0,1 S") == read("g gr 0,0 north") == Play((GEM,))
    assert read("gem RG -1,0 W") == read("gem RG –2,0 E")
    assert notation.write(Play((GemStep("RG", (-3, 0)),))) == "gem RG -2,0 E"
    assert notation.write(Play((GemStep("RG", (-2, -3)),))) == "gem RG -1,-2 N"


def test_a_cross_is_written_facing_north_or_east() -> None:
    """Paragraph 28."""
    assert read("play RBRB 1,0 S gem RG W") == read("play RBRB 1,0 N gem RG W")
    assert read("play RBRB 1,0 W gem RG W") == read("play RBRB 1,0 E gem RG W")
    assert read("play RBRB 1,0 N gem RG W") != read("play RBRB 1,0 E gem RG W")


@pytest.mark.parametrize(
    "text", ["gem RG 0,0 N+play RBR- 1,0 E gem RB W", "gem RG 0,0 N + play rbr. 1,0 E gem RB W"]
)
def test_steps_keep_the_order_in_which_they_are_said(text: str) -> None:
    """Paragraph 28."""
    assert read(text) == Play((GEM, TILE))


@pytest.mark.parametrize(
    ("text", "gems", "tiles"),
    [
        ("trade tiles RB..", (), ("RB--",)),
        ("trade tiles RB—", (), ("RB--",)),
        ("trade tiles rb-- rbr.", (), ("RB--", "RBR-")),
        ("trade tiles R-B-.", (), ("R-B-",)),
        ("trade tiles RB-- R.B.", (), ("R-B-", "RB--")),
        ("t g rg br g y ti t y b", ("GY", "RB", "RG"), ("YBY-",)),
        ("trade tiles corner red-blue gems green-yellow", ("GY",), ("RB--",)),
        ("trade gems RG RB RG", ("RB", "RG", "RG"), ()),
    ],
)
def test_trades_are_read_leniently_and_written_in_order(
    text: str, gems: tuple[str, ...], tiles: tuple[str, ...]
) -> None:
    assert read(text) == Trade(gems, tiles)


def test_a_pass_is_read() -> None:
    assert read("Pass.") == Pass()
    assert read("pa") == Pass()


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ("", "invalid", "empty"),
        ("p", "ambiguous", "ambiguous-word"),
        ("lay RBR- 1,0 E gem RB W", "invalid", "unknown-word"),
        ("play", "invalid", "unknown-tile"),
        ("play RB-", "invalid", "unknown-tile"),
        ("play BR-- 1,0 E gem RB W", "invalid", "unknown-tile"),
        ("play c red-blue 1,0 E gem RB W", "ambiguous", "ambiguous-tile"),
        ("play RBR- 1.0 E gem RB W", "invalid", "bad-cell"),
        ("play RBR-", "invalid", "bad-cell"),
        ("play RBR- 9999999,0 E gem RB W", "invalid", "not-a-number"),
        ("play RBR- 1,0 up gem RB W", "invalid", "bad-side"),
        ("play RBR- 1,0 E RB W", "invalid", "missing-word"),
        ("play RBR- 1,0 E", "invalid", "missing-word"),
        ("play RBR- 1,0 E gem RR W", "invalid", "unknown-gem"),
        ("play RBR- 1,0 E gem RB", "invalid", "bad-side"),
        ("play RBR- 1,0 E gem RB W gem RG 0,0 N", "invalid", "unexpected"),
        ("gem red 0,0 N", "invalid", "unknown-gem"),
        ("gem RG 0,0 N +", "invalid", "empty-step"),
        ("+ gem RG 0,0 N", "invalid", "empty-step"),
        ("gem RG 0,0 N + pass", "invalid", "stands-alone"),
        ("trade gems RB + gem RG 0,0 N", "invalid", "stands-alone"),
        ("trade", "invalid", "empty-trade"),
        ("trade gems", "invalid", "empty-trade"),
        ("trade gems RB tiles", "invalid", "empty-trade"),
        ("trade RB", "invalid", "missing-word"),
        ("trade gems RB--", "invalid", "unknown-gem"),
        ("pass please", "invalid", "unexpected"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_code(text: str, kind: str, code: str) -> None:
    with pytest.raises(GameError) as refused:
        read(text)
    assert (refused.value.kind, refused.value.code) == (kind, code)
