"""Move texts and deals."""

from __future__ import annotations

import pytest

from games.contract import AmbiguousMove, GameError, InvalidMove
from games.gemessengers.components import DECK
from games.gemessengers.rules import RULES
from tests.games.gemessengers.positions import deal, play, with_workshops

HAND = "R E *R *E A C"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("play ruby", "play ruby"),
        ("PLAY  Ruby .", "play ruby"),
        ("pl r", "play ruby"),
        ("play e ab", "play emerald above"),
        ("play e bel", "play emerald below"),
        ("play e r 2", "play emerald row 2"),
        ("play e row 1", "play emerald row 1"),
        ("play e bes e", "play emerald row 1"),
        ("proclaim ruby headstone", "proclaim ruby headstone"),
        ("proclaim *R headstone base", "proclaim ruby headstone base"),
        ("pr *r h b d", "proclaim ruby headstone base decoration"),
        ("proclaim em dec", "proclaim emerald decoration"),
        ("play sapphire", "play sapphire"),
    ],
)
def test_what_is_understood(text: str, canonical: str) -> None:
    state = with_workshops(deal(HAND, "R R R R R T"), "E / T", "")
    assert RULES.write(RULES.parse(state, 0, text)) == canonical


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("play", "no-gem"),
        ("proclaim", "no-suit"),
        ("play pearl", "unknown-word"),
        ("play *R", "unknown-word"),
        ("play ruby above 2", "unexpected"),
        ("play ruby row 2 3", "unexpected"),
        ("play ruby sideways", "unknown-word"),
        ("proclaim ruby middle", "unknown-word"),
        ("To play, write: play ruby", "unknown-word"),
        ("- play ruby", "unknown-word"),
    ],
)
def test_what_is_no_move(text: str, code: str) -> None:
    state = with_workshops(deal(HAND, "R R R R R T"), "E / T", "")
    with pytest.raises(InvalidMove) as refusal:
        RULES.parse(state, 0, text)
    assert refusal.value.code == code


@pytest.mark.parametrize("text", ["p ruby", "play ruby be e", "play ruby b"])
def test_prefixes_that_could_mean_several_words(text: str) -> None:
    state = with_workshops(deal(HAND, "R R R R R T"), "E / T", "")
    with pytest.raises(AmbiguousMove) as refusal:
        RULES.parse(state, 0, text)
    assert refusal.value.code == "ambiguous-word"


def test_a_row_may_be_shortened_once_rows_are_settled() -> None:
    state = with_workshops(deal(HAND, "R R R R R T"), "E / T / S", "")
    assert RULES.write(RULES.parse(state, 0, "play r d")) == "play ruby row 2"
    state = with_workshops(state, "E / T", "")
    with pytest.raises(InvalidMove):
        RULES.parse(state, 0, "play r d")


def test_a_move_is_read_also_while_one_waits() -> None:
    """Plans are written before the turn comes."""
    state = play(deal(HAND, "R R R R R T"), "A play ruby")
    assert RULES.write(RULES.parse(state, 0, "play emerald above")) == "play emerald above"


def test_a_deal_is_three_lists_of_all_cards() -> None:
    first = deal(HAND, "R R R R R T")
    text = RULES.write_deal(first)
    assert text.startswith("1: A C E R *E *R R R R R R T A A A A A *A C")
    assert RULES.deal_explicit(seats=2, options={}, deal=text.lower(), first=1) == first
    one = " ".join(DECK)
    for broken in (
        "",
        one,
        f"1: {one} ; 2: {one}",
        f"1: {one} ; 2: {one} ; 4: {one}",
        f"1: {one} ; 2: {one} ; 3: {one} ; 4: {one}",
        f"1: {one} ; 2: {one} ; 3: {one} A",
        f"1: {one} ; 2: {one} ; 3: {one.replace('*T', 'T')}",
    ):
        with pytest.raises(GameError) as refusal:
            RULES.deal_explicit(seats=2, options={}, deal=broken, first=0)
        assert refusal.value.code == "bad-deal"
