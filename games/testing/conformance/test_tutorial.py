"""The tutorial of a package, where it has one: every answer in it is given, by the rules themselves."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import islice

import pytest

from games.contract import ENGLISH
from games.registry import game
from games.replay import Replay
from games.tutorial import FOLDER, Step, Tutorial, has_tutorial, judge, read_tutorial

MOST_TRIED = 800
"""Legal moves of a step that are tried; few positions of a tutorial have more."""


@pytest.fixture
def tutorial(slug: str) -> Tutorial:
    found = read_tutorial(game(slug))
    if found is None:
        pytest.skip("the package has no tutorial; hosts show its rules")
    return found


def list_languages(slug: str) -> list[str]:
    """The languages of the package's tutorial."""
    names = [file.name.split(".") for file in (game(slug).folder / FOLDER).iterdir()]
    return sorted(name[1] if len(name) == 3 else "en" for name in names if name[-1] == "toml")


def list_first_moves(step: Step) -> list[str]:
    """The first legal moves of the learner, in notation."""
    rules = step.game.rules
    return [
        rules.write(move) for move in islice(rules.legal_moves(step.reached.state, step.seat), MOST_TRIED)
    ]


def test_every_position_follows_from_its_record(tutorial: Tutorial) -> None:
    for step in tutorial.steps:
        assert isinstance(step.reached, Replay)
        assert step.reached.ply == step.ply, step.name
        assert step.seat in step.reached.to_act, f"{step.name}: the learner is not to act"


def test_every_right_answer_is_a_move(tutorial: Tutorial) -> None:
    for step in tutorial.steps:
        moves = list_first_moves(step)
        for pattern in step.right:
            meant = [move for move in moves if fnmatchcase(move, pattern)]
            assert meant, f"{step.name}: no legal move is like {pattern}"
            for move in meant:
                verdict = judge(step, move)
                assert verdict.is_right, (step.name, move)
                assert (verdict.text, verdict.refusal) == (step.why, None), (step.name, move)


def test_every_other_legal_move_is_answered(tutorial: Tutorial) -> None:
    for step in tutorial.steps:
        for move in list_first_moves(step):
            verdict = judge(step, move)
            assert verdict.text, (step.name, move)
            assert tutorial.quote(verdict.rule), (step.name, move, verdict.rule)


def test_every_wrong_answer_is_given(tutorial: Tutorial) -> None:
    """A literal try gets its own sentence; a pattern has a legal move that does, beside the right one perhaps."""
    for step in tutorial.steps:
        moves = [move for move in list_first_moves(step) if not judge(step, move).is_right]
        for wrong in step.wrong:
            if wrong.code:
                continue
            for pattern in wrong.tries:
                like = [move for move in moves if fnmatchcase(move, pattern)] if "*" in pattern else [pattern]
                verdicts = [judge(step, move) for move in like]
                assert any(found.text == wrong.text for found in verdicts), (step.name, pattern)
                assert not any(found.is_right for found in verdicts), (step.name, pattern)


def test_every_answer_to_a_refusal_is_given(tutorial: Tutorial) -> None:
    """A try that is written out is refused with the code; the patterns beside it are for others like it."""
    for step in tutorial.steps:
        for wrong in step.wrong:
            literals = [text for text in wrong.tries if "*" not in text]
            assert literals or not wrong.code, f"{step.name}: no try of {wrong.code} is written out"
            for text in literals if wrong.code else []:
                verdict = judge(step, text)
                assert verdict.refusal is not None, (step.name, text)
                assert (verdict.refusal.code, verdict.text) == (wrong.code, wrong.text), (step.name, text)


def test_an_answer_to_a_refusal_is_not_given_to_a_legal_move(tutorial: Tutorial) -> None:
    for step in tutorial.steps:
        refused = {wrong.text for wrong in step.wrong if wrong.code}
        for move in list_first_moves(step):
            assert judge(step, move).text not in refused, (step.name, move)


def test_what_is_no_move_gets_the_sentence_of_the_game(tutorial: Tutorial) -> None:
    for step in tutorial.steps:
        verdict = judge(step, "xyzzy")
        assert verdict.refusal is not None
        assert not verdict.is_right
        assert verdict.refusal.message.text(ENGLISH)
        assert tutorial.quote(verdict.rule), step.name


def test_a_tutorial_says_the_same_in_every_language(tutorial: Tutorial, slug: str) -> None:
    """Names of steps and numbers of sentences agree, or reading raises; nothing is left in English."""
    for language in list_languages(slug):
        spoken = read_tutorial(game(slug), language)
        assert spoken is not None
        assert spoken.language == language
        for mine, theirs in zip(tutorial.steps, spoken.steps, strict=True):
            assert (mine.name, mine.right, mine.ply) == (theirs.name, theirs.right, theirs.ply)
            if language != "en":
                assert mine.text != theirs.text, (language, mine.name)
                assert mine.task != theirs.task, (language, mine.name)
            assert spoken.quote(theirs.rule), (language, mine.name)


def test_a_tutorial_can_be_drawn(tutorial: Tutorial) -> None:
    for step in tutorial.steps:
        entry, names = step.game, step.names
        assert entry.words.draw(step.view, ENGLISH, names)
        assert entry.words.prompt(step.view, ENGLISH, names)
        assert entry.layout.layout(step.view, names)


def test_without_files_there_is_no_tutorial(slug: str) -> None:
    assert (read_tutorial(game(slug)) is not None) == has_tutorial(game(slug))
