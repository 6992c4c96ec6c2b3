"""Moves with a reason in front, a preference or a count before them; and words that sound like one and are none."""

from __future__ import annotations

import pytest

from games.match import Match
from games.phrases.phrasing import PhraseReader

PLAYERS = ("ana", "eve")


def read(game: str, text: str) -> str | None:
    """The move that is read in the first position of a match."""
    match = Match.new(game, players=PLAYERS, seed="reasons")
    while match.play_forced():
        pass
    if game == "jewellers":
        match.play("draw small")
    assert match.turn is not None
    return PhraseReader(match.game, match.state, match.turn).find(text, PLAYERS)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("I'd open with two", "bid 2"),
        ("I'd go for 4", "bid 4"),
        ("Because I need a diamond I bid 4", "bid 4"),
        ("Since nobody else can pay I bid 1", "bid 1"),
        ("Weil ich Diamanten brauche biete ich 3", "bid 3"),
        ("comme je n'ai pas de diamant je mise 3", "bid 3"),
        ("Eve is way ahead. 3", "bid 3"),
        ("2, un grand merci", "bid 2"),
    ],
)
def test_a_bid_beside_its_reason_is_read(text: str, move: str) -> None:
    assert read("gem", text) == move


@pytest.mark.parametrize(
    "text",
    [
        "un grand merci",
        "Un grand merci à tous",
        "ein großes Danke",
        "I'd open with two if I were you",
        "I'd go for 4 but I'm broke",
        "As I told you I bid 4",
        "Because I thought I bid 4",
        "My dog is in hospital. 4",
        "The meeting is on Monday. 3",
        "Eve bids 2. 3",
    ],
)
def test_what_sounds_like_a_bid_beside_its_reason_is_none(text: str) -> None:
    assert read("gem", text) is None


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("three cards: 2, 4 and 9", "bid 2 4 9"),
        ("drei Karten: 2, 4 und 9", "bid 2 4 9"),
        ("2 and 6 to make 8", "bid 2 6"),
        ("two cards: 2, 4 and 9", None),
        ("three cards: 4 and 9", None),
        ("2 and 6 to make 9", None),
        ("5 (gem 7)", None),
    ],
)
def test_how_many_cards_and_their_sum_must_be_right(text: str, move: str | None) -> None:
    assert read("jewellers", text) == move


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("I love {0} but I'll go for {1}", True),
        ("Ich mag {0} aber ich nehme {1}", True),
        ("J'adore {0} mais je prends {1}", True),
        ("I love {0} but I won't play {1}", False),
        ("I love {0} but not {1}", False),
    ],
)
def test_what_is_liked_and_not_taken_is_no_move(text: str, is_read: bool) -> None:
    match = Match.new("gemessengers", players=PLAYERS, seed="reasons")
    one, other, *_ = [move.split()[1] for move in match.legal(0) if move.startswith("play ")]
    found = PhraseReader(match.game, match.state, 0).find(text.format(one, other), PLAYERS)
    assert found == (f"play {other}" if is_read else None)


@pytest.mark.parametrize(
    ("text", "is_read"),
    [("not {0}, discard {1}", True), ("pas {0}, défausser {1}", True), ("not {0}, {1}", False)],
)
def test_a_card_that_is_denied_in_front_is_not_the_one(text: str, is_read: bool) -> None:
    match = Match.new("florentine", players=PLAYERS, seed="reasons")
    while not any(move.startswith("discard ") for move in match.legal()):
        match.play(match.legal()[0])
    assert match.turn is not None
    one, other, *_ = [move.split()[1] for move in match.legal(match.turn) if move.startswith("discard ")]
    found = PhraseReader(match.game, match.state, match.turn).find(text.format(one, other), PLAYERS)
    assert found == (f"discard {other}" if is_read else None)
