"""Lessons by mail: reads a reply to a step of a tutorial, and writes the next step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from games.contract import GameMeta
from games.prose import list_moves
from games.tutorial import Step, Tutorial
from gemserver.inbox.results import LineResult
from gemserver.lib.text.plain import indent_lines
from gemserver.lib.text.translator import translator
from gemserver.mailgate.authority import Authority
from gemserver.mailgate.handlers.tutorial_command import NO_TRY, TUTORIAL_COMMANDS
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.lines.commands import Command, Line
from gemserver.mailgate.replies.tries import find_answered, find_meant, list_tries
from gemserver.matches import prompts
from gemserver.matches.boards import board
from gemserver.matches.offered import tutorials

MOST_EXAMPLES = 4
COMMAND = next(iter(TUTORIAL_COMMANDS))
_SHOW = {(COMMAND, "shown"), (NO_TRY, "refused")}
"""Code and outcome of results that are answered with a step, or with the end."""


def read_lesson(letter: Letter, authority: Authority) -> Sequence[Line] | None:
    """Return what a reply to a step of a tutorial asks for: a try, or the end of the lesson.

    None for a mail that is read like any other: it answers no step, it went to the address of a match, or it has a
    command or names a match. So a move of a match is never taken for a try, nor a try for a move.
    """
    answered = find_answered(letter, authority)
    lesson = answered.data.get(COMMAND) if answered else None
    if not lesson:
        return None
    if letter.typed.strip().removesuffix(".").lower() == "stop":
        return [Command(COMMAND, "stop")]
    tries = list_tries(letter)
    if not tries:
        return None
    with translation.override(authority.user.language):
        tutorial = tutorials.begin_lesson(lesson["game"])
    if tutorial is None or not 1 <= lesson["step"] <= len(tutorial.steps):
        return None
    step = tutorial.steps[lesson["step"] - 1]
    meant = find_meant(step.game, step.reached.state, step.seat, step.names, tries)
    return [Command(COMMAND, f"{lesson['game']} {lesson['step']} {meant}")]


def find_lesson(results: Iterable[LineResult]) -> Mapping[str, str | int] | None:
    """The note of the answer to these results about the step that it shows; None if it shows none."""
    for result in find_shown(results):
        params = result.message.params if result.message else {}
        if params.get("step"):
            return {"game": str(params["game"]), "step": int(str(params["step"]))}
    return None


def find_shown(results: Iterable[LineResult]) -> list[LineResult]:
    """The results that a lesson answers."""
    return [result for result in results if (result.code, result.outcome) in _SHOW]


@dataclass(frozen=True)
class Lesson:
    """The part of an answer that shows a step, or the end; its headline says what became of a try."""

    tutorial: Tutorial
    step: Step | None
    """None: the tutorial is at its end."""

    @classmethod
    def of(cls, result: LineResult) -> Lesson | None:
        """The lesson of a result, in the active language; None if it shows none."""
        params = result.message.params if result.message else {}
        tutorial = tutorials.begin_lesson(str(params.get("game", "")))
        if (result.code, result.outcome) not in _SHOW or tutorial is None:
            return None
        number = int(str(params["step"]))
        return cls(tutorial, tutorial.steps[number - 1] if number else None)

    @property
    def meta(self) -> GameMeta:
        return self.tutorial.game.rules.meta

    @property
    def title(self) -> str:
        if self.step is None:
            return gettext("The end of the tutorial of %(game)s") % {"game": self.meta.title}
        return gettext("%(game)s, step %(number)s of %(count)s: %(title)s") % {
            "game": self.meta.title,
            "number": self.tutorial.number(self.step),
            "count": len(self.tutorial.steps),
            "title": self.step.title,
        }

    @cached_property
    def drawing(self) -> str:
        """The board in words; empty at the end."""
        return tutorials.show_board(self.step) if self.step else ""

    @property
    def indented_drawing(self) -> str:
        return indent_lines(self.drawing)

    @property
    def has_board(self) -> bool:
        return self.step is not None

    def picture(self) -> bytes:
        """The board as a PNG."""
        assert self.step is not None
        layout = self.step.game.layout.layout(self.step.view, self.step.names)
        return board.paint_for_mail(self.meta.slug, board.draw(self.meta.slug, layout))

    @property
    def examples(self) -> list[str]:
        """Some moves that can be written, each in its sentence, so that no quoted line is one."""
        return list_moves(translator(), self._prompt.moves[:MOST_EXAMPLES]) if self._prompt else []

    @property
    def note(self) -> str:
        """How the examples are written, and how many more moves there are."""
        if self.step is None or self._prompt is None:
            return ""
        shown = self._prompt.moves[:MOST_EXAMPLES]
        return self._prompt.explain(self.step.game.rules, self.step.reached.state, self.step.seat, shown)

    @cached_property
    def _prompt(self) -> prompts.Prompt | None:
        return prompts.split_prompt(tutorials.show_prompt(self.step)) if self.step else None

    @property
    def url(self) -> str:
        """The page of the step; at the end, the one that begins a match against a bot."""
        if self.step is None:
            return settings.SITE_URL + reverse("practice", args=[self.meta.slug])
        return settings.SITE_URL + reverse("tutorial-step", args=[self.meta.slug, self.step.name])

    def write_text(self) -> str:
        """The lesson as text, whose paragraphs are still to be wrapped."""
        return render_to_string("emails/lesson.txt", {"lesson": self}).strip("\n")

    def write_html(self) -> SafeString:
        """The lesson as HTML, with the picture `cid:board`."""
        return SafeString(render_to_string("emails/lesson.html", {"lesson": self}))
