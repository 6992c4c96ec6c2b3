"""A tutorial in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from games.registry import OWN, game
from games.teaching import teach
from games.tutorial import Step, judge, read_tutorial


def learn(slug: str, *typed: str, language: str = "en") -> tuple[bool, str]:
    """Type these lines, then end the input; returns whether the end was reached, and all that was said."""
    said: list[str] = []
    lines: Iterator[str] = iter(typed)

    def ask(question: str) -> str:
        said.append(question)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    return teach(game(slug), language, ask, said.append), "\n".join(said)


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
    assert said.count("quit   leave the tutorial") == 3


def test_a_game_without_a_tutorial_shows_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    bare = replace(game("gem"), package="games.starter.nim")
    assert teach(bare, "en", input, said.append)
    assert said[0].startswith("# ")
