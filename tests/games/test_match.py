"""Matches played by a program (`games.match`)."""

from __future__ import annotations

import pytest

from games.contract import GameError, IllegalMove, InvalidMove
from games.match import Match
from games.replay import replay
from tests.games.playing import CASES, Case, play_match


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_match_is_played_by_texts_alone(case: Case) -> None:
    """Nobody but `Match` has to know seeds of plies; seats are named, as several may act at once."""
    match = Match.new(case.slug, seats=case.seats, options=dict(case.options), seed=case.seed)
    for played in play_match(case):
        assert match.state == played.before
        assert match.play(case.rules.write(played.move), played.seat) == played.events
    assert match.is_over
    assert match.outcome is not None
    assert match.waiting == ()
    assert match.legal() == []
    assert replay(match.record()).refusal is None


@pytest.mark.parametrize("slug", ["gem", "gemessengers"])
def test_taking_moves_back_leads_to_the_deal(slug: str) -> None:
    match = Match.new(slug, seats=3, seed="back")
    first, log = match.state, match.log()
    for _ in range(12):
        _ = match.play_forced() or match.play_bot("random")
    text = str(match.record())
    for _ in range(12):
        match.undo()
    assert (match.state, match.log(), match.ply) == (first, log, 0)
    for _ in range(12):
        _ = match.play_forced() or match.play_bot("random")
    assert str(match.record()) == text, "the same plies have the same chance"
    with pytest.raises(IndexError):
        Match.new(slug).undo()


def test_what_is_refused_changes_nothing() -> None:
    match = Match.new("gem", seats=2, seed="refused")
    for text, seat, error in (
        ("fly", None, InvalidMove),
        ("bid 99", None, IllegalMove),
        ("pass", 1 - (match.turn or 0), IllegalMove),
    ):
        with pytest.raises(error):
            match.play(text, seat)
    assert match.ply == 0


def test_where_several_are_to_act_the_seat_must_be_named() -> None:
    match = Match.new("gemessengers", seats=3, seed="several")
    assert match.waiting == (0, 1, 2)
    with pytest.raises(GameError, match="Seats A, B, C are to act"):
        match.legal()
    match.play(match.legal(1)[0], 1)
    assert match.waiting == (0, 2)
    assert str(match.view(0)) != str(match.view(1))
    assert len(match.log(1)) > len(match.log(0)), "the pick lies face down"


def test_resigning_ends_a_match_of_two_and_no_larger_one() -> None:
    pair = Match.new("gem", players=["Ana", "Bob"], seed="resigned")
    pair.resign(0)
    assert (pair.is_over, pair.ranks, pair.outcome) == (True, (2, 1), None)
    assert "Ana has resigned, and so the match has ended here." in pair.draw()
    assert Match.load(str(pair.record())).ranks == (2, 1)
    with pytest.raises(IllegalMove):
        pair.play("bid 1")
    three = Match.new("gem", seats=3, seed="resigned")
    three.resign(0)
    assert not three.is_over
    with pytest.raises(IllegalMove):
        three.resign(0)


def test_a_record_that_does_not_fit_is_refused() -> None:
    match = Match.new("gem", seats=2, seed="5eed" * 16)
    match.play("bid 3")
    text = str(match.record())
    assert str(Match.load(text).record()) == text
    with pytest.raises(InvalidMove):
        Match.load(text.replace("bid 3", "sing"))
    with pytest.raises(IllegalMove):
        Match.load(text.replace("bid 3", "bid 77"))
