"""The contents of a tutorial's pages; the templates only lay them out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString

from games.contract import Asked, Choice, GameMeta
from games.tutorial import Step, Tutorial
from gemserver.matches.actions.play.preview import LONGEST_TEXT
from gemserver.matches.models import Match
from gemserver.matches.offered import tutorials
from gemserver.matches.offered.tutorials import Answer
from gemserver.matches.said import in_notation
from gemserver.site.match.built_move import BuiltAside
from gemserver.site.match.picture import Picture

_CODE = re.compile(r"`([^`]+)`")


def mark_moves(text: str) -> SafeString:
    """Write what stands between backticks as something to be typed."""
    return SafeString(_CODE.sub(r"<kbd>\1</kbd>", escape(text)))


@dataclass(frozen=True)
class StepPage(BuiltAside):
    """One step as its learner sees it: `tried` is what they have written, `begun` a move that is still being built."""

    tutorial: Tutorial
    step: Step
    tried: str | None = None
    begun: str = ""

    @property
    def meta(self) -> GameMeta:
        return self.tutorial.game.rules.meta

    @property
    def address(self) -> str:
        return reverse("tutorial-step", args=[self.meta.slug, self.step.name])

    @property
    def number(self) -> int:
        return self.tutorial.number(self.step)

    @property
    def following(self) -> Step | None:
        return self.tutorial.after(self.step)

    @property
    def previous(self) -> Step | None:
        return self.tutorial.steps[self.number - 2] if self.number > 1 else None

    @cached_property
    def answer(self) -> Answer | None:
        """The answer to what was tried, in notation or in other words; None before the first try."""
        if self.tried is None:
            return None
        step, tried = self.step, self.tried[:LONGEST_TEXT]
        text = in_notation(step.game, step.reached.state, step.seat, tried, step.names)
        return tutorials.answer(self.tutorial, step, text)

    @property
    def typed(self) -> str:
        """The try that was wrong."""
        return (self.tried or "")[:LONGEST_TEXT]

    @property
    def text(self) -> SafeString:
        return mark_moves(self.step.text)

    @property
    def task(self) -> SafeString:
        return mark_moves(self.step.task)

    @property
    def why(self) -> SafeString:
        return mark_moves(self.step.why)

    @property
    def farewell(self) -> SafeString:
        return mark_moves(self.tutorial.farewell)

    @property
    def refusal(self) -> SafeString:
        """Why the try is no move, for its field; empty for a move, right or wrong."""
        return mark_moves(self.answer.sentence if self.answer and self.answer.verdict.is_no_move else "")

    @property
    def judged(self) -> Answer | None:
        """The answer to a move, which stands with the task."""
        return None if self.refusal else self.answer

    @property
    def refused_at(self) -> str:
        """The id of what the field was refused with; empty before a try."""
        return "text-refusal" if self.refusal else "answer" if self.answer else ""

    @property
    def fault(self) -> SafeString:
        """The fault of a move that is not the right one."""
        return mark_moves(self.answer.sentence if self.answer else "")

    # The board, and a move that is being built on it

    @property
    def seed(self) -> str:
        return self.step.seed

    @property
    def ply(self) -> int:
        return self.step.ply

    @cached_property
    def match(self) -> Match:
        """No match of anybody's: only what knows how to draw this game."""
        return Match(game=self.meta.slug)

    @property
    def reader(self) -> int:
        return self.step.seat

    @property
    def names(self) -> Sequence[str]:
        return self.step.names

    @property
    def asked(self) -> Asked | None:
        return None

    @property
    def can_answer(self) -> bool:
        """True until the right move is found."""
        return self.answer is None or not self.answer.is_right

    @property
    def answered_position(self) -> Any:
        return self.step.reached.state

    @cached_property
    def undrafted_view(self) -> Any:
        return self.step.view

    @cached_property
    def view(self) -> Any:
        """The position; after the right move, or the finished steps of one that is being built, the one it makes."""
        state = self.answer.verdict.state if self.answer and self.answer.is_right else self.ahead
        rules = self.step.game.rules
        return self.undrafted_view if state is None else rules.view(state, self.step.seat)

    @cached_property
    def picture(self) -> Picture:
        last_moves = self.step.last_moves
        if self.answer and self.answer.is_right:
            last_moves = {self.step.seat: self.answer.verdict.move}
        elif self.begun:
            last_moves = {}
        return Picture(self.match, self.view, self.names, None, last_moves)

    def list_steps(self, partial: str) -> Sequence[Choice]:
        return tutorials.list_steps(self.step, partial)
