"""A game of others that misbehaves fails alone and by its own name (`gemserver.matches.offered.game_guard`)."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from games.contract import GameError, InvalidMove, Seat
from games.gem.rules import Gem
from games.gem.state import State, View
from games.match import Match
from games.registry import GAMES
from games.turns import expect_turn
from gemserver.matches.offered.game_guard import BrokenGame, protect

SOON = 0.3


class Spoilt(Gem):
    """GEM with one function that fails as the test wants."""

    def __init__(self, name: str, failing: Any) -> None:
        setattr(self, name, failing)


def raises(*arguments: Any, **named: Any) -> Any:
    raise KeyError("jewel")


def loops(*arguments: Any, **named: Any) -> Any:
    for _ in count():
        pass


def swallows(*arguments: Any, **named: Any) -> Any:
    while True:
        try:
            loops()
        except Exception:
            continue


def begin(name: str, failing: Any) -> Match:
    """A match whose deal goes well, under guard."""
    return Match.new(protect(replace(GAMES["gem"], rules=Spoilt(name, failing)), SOON), seats=2, seed="guard")


@pytest.mark.slow
@pytest.mark.parametrize("failing", [raises, loops, swallows])
@pytest.mark.parametrize("name", ["apply", "view", "waiting_on", "standing", "legal_moves"])
def test_what_fails_is_the_game_and_it_is_said_how(name: str, failing: Any) -> None:
    match = begin(name, failing)
    calls = {
        "apply": lambda: match.play("bid 1", 0),
        "view": match.view,
        "waiting_on": lambda: match.waiting,
        "standing": lambda: match.scores,
        "legal_moves": lambda: match.legal(0),
    }
    began = time.monotonic()
    with pytest.raises(BrokenGame, match=name):
        calls[name]()
    assert time.monotonic() - began < 10 * SOON
    assert match.ply == 0


@pytest.mark.parametrize("failing", [raises, loops])
def test_what_is_typed_is_refused_and_breaks_nothing(failing: Any) -> None:
    with pytest.raises(InvalidMove, match="cannot read that"):
        begin("parse", failing).play("bid 1", 0)


def test_an_endless_list_of_moves_can_be_looked_at_as_far_as_one_likes() -> None:
    def moves(state: State, seat: Seat) -> Iterator[Any]:
        yield from Gem().legal_moves(state, seat)
        loops()

    match = begin("legal_moves", moves)
    seat = match.turn or 0
    assert match.legal(seat, most=3) == ["bid 0", "bid 1", "bid 2"]
    with pytest.raises(BrokenGame):
        match.legal(seat)


def test_a_view_that_holds_a_secret_is_not_shown() -> None:
    def view(state: State, seat: Seat | None) -> tuple[View, Any]:
        return Gem().view(state, seat), state.piles[0]

    match = begin("view", view)
    with pytest.raises(BrokenGame, match="cannot know"):
        match.view(0)


def test_the_rules_own_refusals_are_passed_on() -> None:
    def refuse(*arguments: Any) -> Any:
        expect_turn(0, 1, is_over=False)

    with pytest.raises(GameError, match="not-your-turn"):
        begin("apply", refuse).play("bid 1")


@pytest.mark.slow
def test_a_call_that_comes_back_in_time_is_never_interrupted() -> None:
    """Not even when the time is up just then: the pending signal is taken back."""

    def slow(*arguments: Any) -> Any:
        began = time.monotonic()
        while time.monotonic() - began < SOON:
            pass
        return (0, 0)

    for _ in range(5):
        match = begin("standing", slow)
        try:
            assert match.scores == (0, 0)
        except BrokenGame:
            continue
        time.sleep(0.01)


def test_a_process_goes_on_as_before_after_an_interruption() -> None:
    """One that was taken back hung CPython 3.11 in the next function that was profiled."""
    with pytest.raises(BrokenGame):
        begin("apply", loops).play("bid 1", 0)
    seen = []
    sys.setprofile(lambda *arguments: seen.append(arguments[1]))
    try:
        assert begin("context", raises).ply == 0
    finally:
        sys.setprofile(None)
    assert "call" in seen


@pytest.mark.slow
def test_a_good_game_plays_the_same_under_guard() -> None:
    for slug, game in GAMES.items():
        seats = game.rules.meta.min_seats
        matches = [Match.new(each, seats=seats, seed="same") for each in (game, protect(game))]
        for match in matches:
            for _ in range(25):
                _ = match.play_forced() or match.play_bot("random")
            assert match.game.layout.layout(match.view(0), match.players).width > 0
            assert match.draw(0)
        assert str(matches[0].record()) == str(matches[1].record()), slug
