"""A pass may say who gets the thing instead, and a move what is not chosen; nothing else is cut off a line."""

from __future__ import annotations

import pytest

from games.match import Match
from games.phrases.phrasing import PhraseReader

NAMES = ["Ana", "Ben", "Eve"]


@pytest.fixture(scope="module")
def bidding() -> PhraseReader:
    """Somebody may pass or bid 2 or more."""
    match = Match.new("gem", seats=3, seed="example")
    match.play("bid 1")
    return PhraseReader(match.game, match.state, match.state.turn)


@pytest.fixture(scope="module")
def opening() -> PhraseReader:
    """Somebody must put down cards."""
    match = Match.new("jewellers", seats=3, seed="example")
    match.play("draw small")
    return PhraseReader(match.game, match.state, match.state.turn)


@pytest.mark.parametrize(
    "said",
    [
        "I pass, Eve gets it for 5",
        "I pass. Ben wins the card at 6!",
        "Ben can have it for 3, I pass",
        "pass; let Ben have it",
        "Je passe, Eve l'a pour 5",
        "Je passe, que Ben la prenne",
        "Ich passe, dann kriegt Ben sie für 6",
        "Passe – Eve soll ihre Karte haben",
        "pass, and the topaz goes to Ben",
        "Je passe, la topaze va à Eve",
        "Ich passe, der Topas geht an Ben",
        "Passe, den Topas kriegt Ben",
        "Passe, soll ihn der Ben haben",
        "Nope, Eve wins this one",
        "Nee, kann der Ben haben",
        "Non, Eve la prend",
        "1 is crazy, I pass",
        "1?! No thank you, I'm out.",
        "1 ist mir zu viel, passe",
        "1 c'est de la folie, je passe",
    ],
)
def test_a_pass_says_who_gets_it(bidding: PhraseReader, said: str) -> None:
    assert bidding.find(said, NAMES) == "pass"


@pytest.mark.parametrize(
    "said",
    [
        "I pass if Eve gets it for 5",
        "If I pass, Eve gets it for 5",
        "I pass, Eve gets it unless Ben bids",
        "I pass, Eve gets it?",
        "Kriegt Ben sie für 6, passe ich",
        "Ben has it: pass",
        "Pass, Ben keeps telling me",
        "I bid 7, Eve gets nothing",
        "Ben gets it",
        "No, Eve has it already",
        "No, Eve wins every time",
        "No, you have to bid",
        "Nee, kann der Ben nicht haben",
        "1 is nothing, 4 it is",
        "1, then pass",
        "1? Who would pass",
        "The topaz goes to Ben",
        "If the topaz goes to Ben, pass",
        "I bid 7, the topaz never goes to Ben",
    ],
)
def test_who_gets_it_leaves_no_other_move_and_no_condition(bidding: PhraseReader, said: str) -> None:
    assert bidding.find(said, NAMES) is None


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("not the 5 but the 6", "bid 6"),
        ("nicht die 5, sondern die 6", "bid 6"),
        ("pas le 5, le 6", "bid 6"),
        ("not 5, 6", None),
        ("not the 5 but maybe the 6", None),
        ("not the 5 but the one that Ben had", None),
        ("not today, the 6", None),
    ],
)
def test_what_is_not_chosen_stands_in_front(opening: PhraseReader, said: str, move: str | None) -> None:
    assert opening.find(said, NAMES) == move


def test_a_piece_behind_and_may_stay_where_it_is() -> None:
    match = Match.new("gemessengers", seats=2, seed="example")
    reader = PhraseReader(match.game, match.state, 0)
    one, other = sorted({move.split()[1] for move in reader.moves.listed if move.startswith("play ")})[:2]
    assert reader.find(f"I play the {one}, and the {other} stays with me") == f"play {one}"
    assert reader.find(f"I play the {one}, and the {other} too") is None
