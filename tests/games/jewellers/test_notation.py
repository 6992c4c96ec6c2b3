"""Jewellers' move texts: texts that are read, and texts that are refused."""

from __future__ import annotations

import pytest

from games.contract import InvalidMove
from games.jewellers.rules import RULES
from games.jewellers.state import Bid, Draw, Move, Pass, Place, Stay, UpTo
from tests.games.jewellers.positions import SILVER, first_position, play

PLACING = first_position(2, options=SILVER)
DRAWING = first_position(2)
BIDDING = play(DRAWING, "draw small", "bid 4")
MOVING = play(PLACING, "silver R3", "draw small", "bid 2", "pass")


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("draw small", Draw("small")),
        ("DRAW  Large.", Draw("large")),
        ("d m", Draw("medium")),
        ("draw l", Draw("large")),
        ("bid 9", Bid((9,))),
        ("up to 17", UpTo(17)),
        ("pass", Pass()),
        ("silver stay", Stay()),
    ],
)
def test_reading_while_a_draw_is_asked(text: str, move: Move) -> None:
    """Moves of the auction are written in full (a plan may hold them)."""
    assert RULES.parse(DRAWING, 0, text) == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("bid 9", Bid((9,))),
        ("b 2 9", Bid((2, 9))),
        ("bid 9 2", Bid((2, 9))),
        ("bid 2+9", Bid((2, 9))),
        ("bid 2, 9", Bid((2, 9))),
        ("bid 09.", Bid((9,))),
        ("bid 4 4", Bid((4, 4))),
        ("p", Pass()),
        ("up to 17", Bid((5,))),
        ("U T 17.", Bid((5,))),
        ("up to 4", UpTo(4)),
        ("draw small", Draw("small")),
    ],
)
def test_reading_while_a_bid_is_asked(text: str, move: Move) -> None:
    assert RULES.parse(BIDDING, 1, text) == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("silver R3", Place("R3")),
        ("s r3.", Place("R3")),
        ("silver S 6", Place("S6")),
        ("silver S06", Place("S6")),
        ("silver ruby 3", Place("R3")),
        ("silver ruby-3", Place("R3")),
        ("silver sapph 5", Place("S5")),
        ("silver PEARL4", Place("P4")),
        ("silver stay", Stay()),
        ("silver s", Stay()),
    ],
)
def test_reading_while_silver_is_placed(text: str, move: Move) -> None:
    assert RULES.parse(PLACING, 0, text) == move
    assert RULES.parse(MOVING, 0, text) == move


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("draw", "no-size"),
        ("draw huge", "unknown-word"),
        ("draw small ruby", "unexpected"),
        ("bid", "no-card"),
        ("bid ,", "no-card"),
        ("bid 1", "unknown-card"),
        ("bid 17", "unknown-card"),
        ("bid 2 x", "not-a-number"),
        ("bid -2", "not-a-number"),
        ("bid ²", "not-a-number"),
        ("up", "no-number"),
        ("up to", "no-number"),
        ("up 17", "no-number"),
        ("up from 17", "unknown-word"),
        ("up to all", "not-a-number"),
        ("up to 17 18", "unexpected"),
        ("pass 3", "unexpected"),
        ("silver", "no-junction"),
        ("silver L3", "unknown-junction"),
        ("silver R7", "unknown-junction"),
        ("silver R2", "unknown-junction"),
        ("silver R3 E3", "unknown-junction"),
        ("silver there", "unknown-junction"),
        ("sell", "unknown-word"),
        ("To play, write: bid 9", "unknown-word"),
    ],
)
def test_what_is_no_move(text: str, code: str) -> None:
    with pytest.raises(InvalidMove) as refusal:
        RULES.parse(BIDDING, 1, text)
    assert refusal.value.code == code


def test_a_word_of_another_phase_is_not_shortened() -> None:
    with pytest.raises(InvalidMove):
        RULES.parse(DRAWING, 0, "b 9")


@pytest.mark.parametrize("text", ["draw small", "bid 2 9", "up to 17", "pass", "silver R3", "silver stay"])
def test_the_canonical_text_is_what_the_rule_file_shows(text: str) -> None:
    """Read when it is not the seat's turn, so that `up to` stays an order."""
    assert RULES.write(RULES.parse(DRAWING, 1, text)) == text


def test_a_total_instead_of_cards_is_answered_with_the_way_to_say_it() -> None:
    with pytest.raises(InvalidMove, match="up to 17"):
        RULES.parse(BIDDING, 1, "bid 17")


def test_steps_build_a_bid_card_by_card() -> None:
    """Only cards that can still beat the leader are offered; a set that beats it is complete."""
    state = play(DRAWING, "draw small", "bid 2 3 4 5 6 7 8")
    first = RULES.steps(state, 1, "")
    assert [(choice.text, choice.complete) for choice in first] == [
        ("pass", True),
        ("bid 2", False),
        ("bid 3", False),
        ("bid 4", False),
        ("bid 5", False),
        ("bid 6", False),
    ]
    more = RULES.steps(state, 1, "bid 5 6 7 8")
    assert [(choice.text, choice.complete) for choice in more] == [
        ("bid 5 6 7 8 9", False),
        ("bid 5 6 7 8 10", True),
    ]


def test_steps_choose_sizes_and_junctions_at_once() -> None:
    assert [choice.text for choice in RULES.steps(DRAWING, 0, "")] == [
        "draw small",
        "draw medium",
        "draw large",
    ]
    assert RULES.steps(DRAWING, 0, "draw small") == ()
    assert len(RULES.steps(PLACING, 0, "")) == 16
    assert [choice.text for choice in RULES.steps(MOVING, 0, "")][:2] == ["silver stay", "silver R3"]
