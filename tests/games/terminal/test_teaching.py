"""A tutorial in a terminal."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from games.registry import OWN, game
from games.terminal.teaching import teach
from games.tutorial import Step, judge, read_tutorial
from tests.games.terminal.keyboard import type_lines


def learn(slug: str, *typed: str, language: str = "en") -> tuple[bool, str]:
    """Type these lines, then end the input; returns whether the end was reached, and all that was said."""
    console, said = type_lines(game(slug), *typed, language=language)
    return teach(console), "\n".join(said)


def right_move(step: Step) -> str:
    rules = step.game.rules
    moves = islice(rules.legal_moves(step.reached.state, step.seat), 1000)
    return next(text for text in map(rules.write, moves) if judge(step, text).is_right)


@pytest.mark.parametrize("slug", OWN)
@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_right_moves_lead_to_the_end(slug: str, language: str) -> None:
    tutorial = read_tutorial(game(slug), language)
    assert tutorial is not None
    is_done, said = learn(slug, *map(right_move, tutorial.steps), language=language)
    assert is_done
    words = " ".join(said.split())
    for sentence in [tutorial.welcome, tutorial.farewell, *(step.why for step in tutorial.steps)]:
        assert " ".join(sentence.split()) in words
    assert max(map(len, said.splitlines())) <= 72


def test_a_wrong_move_is_answered_and_asked_again() -> None:
    is_done, said = learn("gem", "pass", "bid x")
    assert not is_done
    assert "Not yet: The Oya may not pass. Everybody else may." in said
    assert "“x” is no number. Write it in digits." in said
    assert said.count("Open with a bid of 1.") == 3


def test_what_is_no_move_is_answered_without_a_paragraph_of_the_rules() -> None:
    _, said = learn("gem", "hello")
    assert "§" not in said
    assert "Not yet" not in said


def test_the_end_says_how_to_play_here() -> None:
    is_done, said = learn("gem", *["skip"] * 8)
    assert is_done
    assert said.endswith("\n\n  python -m games play gem")


def test_the_learner_can_look_skip_and_leave() -> None:
    is_done, said = learn("gem", "board", "rules", "help", "?", "skip", "quit")
    assert not is_done
    assert said.count("GEM, day 1 of 6, auction 1.") == 3
    assert "A game by Chris Handy" in said
    assert "Step 2 of 6: Take a card and pay" in said
    assert said.count("quit       leave the tutorial") == 3


def test_a_german_lesson_is_german_throughout() -> None:
    _, said = learn("gem", "help", "pass", "bid 99", "quit", language="de")
    for sentence in ("Schritt 1 von 6", "das Brett noch einmal zeigen", "Noch nicht: "):
        assert sentence in said
    assert "GEM, Tag 1 von 6" in said
    for english in ("Not yet", "Step", "bid of", "Waiting for", "day 1"):
        assert english not in said


def test_a_game_without_a_tutorial_shows_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    console, said = type_lines(replace(game("gem"), package="games.starter.nim"))
    assert teach(console)
    assert said[0].startswith("# ")
