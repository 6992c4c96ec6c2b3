"""Lists of moves say where they are not all, and show different things."""

from __future__ import annotations

import pytest

from games.contract import ENGLISH
from games.gem.payment import worth
from games.gem.rules import RULES
from games.listing import MOST_COUNTED, pick_examples, say_unlisted
from games.match import Match
from games.registry import game


def test_a_list_that_is_not_all_says_how_many_ways_there_are() -> None:
    match = Match.new("gem", players=["Ana", "Bob"], seed="ab" * 32)
    seat = match.waiting[0]
    bids = [f"bid {amount}" for amount in range(worth(match.state.active[seat]) + 1)]
    assert say_unlisted(RULES, match.state, seat, bids, ENGLISH) == ""
    assert say_unlisted(RULES, match.state, seat, bids[:3], ENGLISH) == (
        "Listed here: 3 of 7 ways; the others are written the same way."
    )


def test_one_move_in_two_writings_is_one_way_and_an_order_none() -> None:
    match = Match.new("gem", players=["Ana", "Bob"], seed="ab" * 32)
    texts = ["bid 1", "BID 1.", "bid 2", "bid 2 else bid 3"]
    assert say_unlisted(RULES, match.state, match.waiting[0], texts, ENGLISH).startswith(
        "Listed here: 2 of 7 "
    )


def test_very_many_ways_are_not_counted() -> None:
    match = Match.new("gembatan", players=["Ana", "Bob"], seed="cd" * 32)
    for _ in range(7):
        match.play_bot("easy")
    seat = match.waiting[0]
    some = match.legal(seat, 3)
    said = say_unlisted(match.game.rules, match.state, seat, some, ENGLISH)
    assert said == f"Listed here: 3 of more than {MOST_COUNTED} ways; the others are written the same way."


def test_examples_differ_in_as_much_as_they_can() -> None:
    texts = [f"{card} {cell}" for card in "abc" for cell in "1234"]
    assert pick_examples(texts, 4, str.split) == ["a 1", "a 4", "b 2", "c 3"]
    assert pick_examples(texts, 50, str.split) == texts


class _German:
    """A translation of the words that these tests need."""

    _WORDS = {
        "north": "Norden",
        "east": "Osten",
        "south": "Süden",
        "west": "Westen",
        "discard": "abwerfen",
        "pass": "passen",
        "activate nothing": "nichts aktivieren",
    }

    def gettext(self, message: str) -> str:
        return self._WORDS.get(message, message)

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return self.gettext(singular if number == 1 else plural)


@pytest.mark.parametrize(
    ("slug", "expected", "missing"),
    [
        ("florentine", ["E = Osten", "discard = abwerfen"], ["W = ", "N = ", "pass"]),
        ("gembatan", ["E = Osten"], ["S = "]),
    ],
)
def test_words_that_a_reader_cannot_guess_are_explained_below_the_moves(
    slug: str, expected: list[str], missing: list[str]
) -> None:
    """`E` is the East of an English card, and no German one begins so; `N` is Norden too."""
    match = Match.new(slug, players=["Ana", "Bob"], seed="ab" * 32)
    match.play_bot("easy")
    view = match.game.rules.view(match.state, match.waiting[0])
    below = game(slug).words.prompt(view, _German(), match.players).rpartition("To play, write:")[2]
    for words in expected:
        assert words in below
    for words in missing:
        assert words not in below
    assert "Osten" not in game(slug).words.prompt(view, ENGLISH, match.players)
