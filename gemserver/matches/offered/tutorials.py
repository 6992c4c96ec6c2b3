"""The tutorials of the games that are offered, and what their readers are told; pages, mails and programs show it.

Nothing of a try is kept: where a learner stands is in the address, or in the mail that is answered.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.utils.translation import get_language

from games import registry
from games.contract import Choice, GameError
from games.tutorial import Step, Tutorial, Verdict, judge, read_tutorial
from gemserver.lib.text.translator import translator
from gemserver.matches.offered.asked_rules import ask_rules_of_no_match
from gemserver.matches.offered.game_guard import BrokenGame

logger = logging.getLogger(__name__)


def begin_lesson(slug: str) -> Tutorial | None:
    """Like `find_tutorial`, before its positions are looked at; should the game fail then, no match is stopped."""
    ask_rules_of_no_match()
    return find_tutorial(slug)


def find_tutorial(slug: str) -> Tutorial | None:
    """The tutorial of a game in the active language, or in English; None if there is none that can be shown."""
    if slug not in registry.GAMES:
        return None
    return _read(slug, (get_language() or settings.LANGUAGE_CODE).partition("-")[0])


@cache
def _read(slug: str, language: str) -> Tutorial | None:
    """Read it and show every position once, so that a page never meets one that does not fit the rules."""
    try:
        tutorial = read_tutorial(registry.GAMES[slug], language)
        for step in tutorial.steps if tutorial else ():
            show_board(step)
            show_prompt(step)
    except (GameError, BrokenGame) as error:
        logger.warning("The tutorial of %s cannot be shown: %s", slug, error)
        return None
    return tutorial


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a learner's try, in the active language."""

    verdict: Verdict
    sentence: str
    """Why the try is right, or what is wrong with it; for what the game refuses, perhaps its own sentence."""
    paragraph: str
    """The paragraph `verdict.rule` of the rules."""
    happened: Sequence[str]
    """The consequences of the right move."""
    played: str
    """The try in the words of the log; empty for what the game does not allow."""

    @property
    def is_right(self) -> bool:
        return self.verdict.is_right


def answer(tutorial: Tutorial, step: Step, text: str) -> Answer:
    """Judge what a learner has written in this step."""
    verdict = judge(step, text)
    sentence = verdict.text
    if not sentence and verdict.refusal:
        sentence = verdict.refusal.message.text(translator())
    words, names = step.game.words, step.names
    told = [words.describe(event, translator(), names, step.seat) for event in verdict.events]
    own = [pair for pair in zip(verdict.events, told, strict=True) if pair[0].seat == step.seat]
    if step.game.rules.meta.has_sealed_picks:
        # All are told that there is a pick; what it is, the learner alone.
        own = [pair for pair in own if pair[0].audience is not None] or own
    happened = told if verdict.is_right else []
    return Answer(verdict, sentence, tutorial.quote(verdict.rule), happened, own[0][1] if own else "")


def show_prompt(step: Step) -> str:
    """The question of the game in this position, with moves that can be written."""
    return step.game.words.prompt(step.view, translator(), step.names)


def show_board(step: Step, view: Any = None) -> str:
    """The board in words, in lines of at most 72 columns; `view`: another one than the position of the step."""
    shown = step.view if view is None else view
    return step.game.words.draw(shown, translator(), step.names)


def list_steps(step: Step, partial: str) -> Sequence[Choice]:
    """List the choices that go on from this beginning of a move. Raises GameError if it cannot be read."""
    return step.game.rules.steps(step.reached.state, step.seat, partial)
