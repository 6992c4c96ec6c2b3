"""Words that sound like a move, as a phone writes them, are offered, never played; gems have names of any language."""

from __future__ import annotations

import pytest

from games.match import Match
from games.phrases.phrasing import PhraseReader


def reader(slug: str, *moves: str) -> PhraseReader:
    match = Match.new(slug, seats=2, seed="example")
    for move in moves:
        match.play(move)
    return PhraseReader(match.game, match.state, match.waiting[0])


@pytest.mark.parametrize(
    ("slug", "moves", "said", "move"),
    [
        ("gem", [], "I open with to", "bid 2"),
        ("gem", [], "je mise de", "bid 2"),
        ("gem", [], "ich biete zwar", "bid 2"),
        ("gem", ["bid 1"], "past", "pass"),
    ],
)
def test_what_sounds_like_a_move_is_offered(slug: str, moves: list[str], said: str, move: str) -> None:
    found = reader(slug, *moves)
    assert found.find(said) is None
    assert [*found.offer(said)] == [move]


def test_letters_that_are_spelt_are_a_code_and_a_number_behind_one_a_cell() -> None:
    match = Match.new("florentine", seats=2, seed="example")
    match.play(match.legal(most=1)[0])
    found = PhraseReader(match.game, match.state, match.waiting[0])
    _, card, cell, side = next(move for move in match.legal() if move.startswith("place")).split()
    said = f"{' '.join(card.upper())} {cell[0]} {cell[1]} {side}"
    assert found.find(said) is None
    assert [*found.offer(said)] == [f"place {card} {cell} {side}"]


@pytest.mark.parametrize("said", ["see you then", "too bad", "good to see you", "what are we waiting for"])
def test_talk_that_sounds_like_numbers_is_no_move(said: str) -> None:
    assert not reader("gem").offer(said)


def test_a_mere_no_where_somebody_may_pass_is_offered_as_a_pass() -> None:
    found = reader("gem", "bid 1")
    for said in ("lol no", "Non merci", "Nee, danke"):
        assert found.find(said) is None
        assert [*found.offer(said)] == ["pass"]
    assert not found.offer("no idea")
    assert not reader("gem").offer("lol no")


@pytest.mark.parametrize("said", ["play the {}", "je joue le {}", "ich spiele den {}"])
def test_a_gem_may_be_named_in_another_language(said: str) -> None:
    found = reader("gemessengers")
    gems = {"ruby": "rubin", "emerald": "smaragd", "diamond": "diamant", "topaz": "topas"}
    here = [gem for gem in gems if f"play {gem}" in found.moves.listed]
    assert here
    for gem in here:
        assert found.find(said.format(gems[gem])) == found.find(said.format(gem)) == f"play {gem}"
