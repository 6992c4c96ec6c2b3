"""The tutorials of the games, for tests."""

from __future__ import annotations

from itertools import islice

from games.tutorial import Step, Tutorial, WrongTry, judge
from gemserver.matches.offered.tutorials import find_tutorial


def taught(slug: str) -> Tutorial:
    """The tutorial of a game that has one, in the active language."""
    found = find_tutorial(slug)
    assert found is not None
    return found


def right_move(step: Step) -> str:
    """A move that the step asks for."""
    rules = step.game.rules
    moves = islice(rules.legal_moves(step.reached.state, step.seat), 1000)
    return next(text for text in map(rules.write, moves) if judge(step, text).is_right)


def wrong_tries(step: Step) -> list[tuple[str, WrongTry]]:
    """Tries, legal or not, that the step answers with a sentence of its own."""
    return [(text, wrong) for wrong in step.wrong for text in wrong.tries if "*" not in text]
