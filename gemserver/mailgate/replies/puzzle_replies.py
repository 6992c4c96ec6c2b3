"""Puzzles by mail: reads a reply to the mail with one, and writes what is said to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.inbox.results import LineResult
from gemserver.lib import clock
from gemserver.mailgate.authority import Authority
from gemserver.mailgate.handlers.puzzle_command import ANSWERED, NO_TRY, PUZZLE_COMMANDS
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.lines.commands import Command, Line
from gemserver.mailgate.replies.tries import find_answered, find_meant, list_tries
from gemserver.matches.refusal import Refused
from gemserver.puzzles.answers import measure_streak
from gemserver.puzzles.days import find_posed
from gemserver.puzzles.models import StoredPuzzle
from gemserver.puzzles.posed import PosedPuzzle, Solution, say_streak
from gemserver.puzzles.sources import read_stored
from gemserver.puzzles.subscribing import is_subscribed

COMMAND = next(iter(PUZZLE_COMMANDS))
_TOLD = {(COMMAND, "shown"), (NO_TRY, "refused"), (ANSWERED, "refused")}
"""Code and outcome of results that are answered with a puzzle, or its solution."""


def read_puzzle_reply(letter: Letter, authority: Authority) -> Sequence[Line] | None:
    """Return the answer that a reply to a puzzle gives; None for a mail that is read like any other.

    As with lessons, a move of a match is never taken for an answer, nor an answer for a move.
    """
    answered = find_answered(letter, authority)
    note = answered.data.get(COMMAND) if answered else None
    tries = list_tries(letter) if note else ()
    if note is None or not tries:
        return None
    stored = StoredPuzzle.objects.select_related("match").filter(pk=note).first()
    if stored is None or stored.day is None:
        return None
    try:
        puzzle = read_stored(stored)
    except Refused:
        return None
    meant = find_meant(puzzle.game, puzzle.state, puzzle.seat, puzzle.record.players, tries)
    return [Command(COMMAND, f"{stored.day.isoformat()} {meant}")]


def find_told(results: Iterable[LineResult]) -> list[LineResult]:
    """The results about puzzles: shown, answered, or not understood."""
    return [result for result in results if (result.code, result.outcome) in _TOLD]


def find_note(results: Iterable[LineResult]) -> int | None:
    """The puzzle (primary key) that the answer to these results shows, for its own row; None if it shows none."""
    for result in find_told(results):
        if day := _find_day(result):
            return StoredPuzzle.objects.filter(day=day).values_list("pk", flat=True).first()
    return None


def _find_day(result: LineResult) -> date | None:
    params = result.message.params if result.message else {}
    return date.fromisoformat(str(params["day"])) if "day" in params else None


@dataclass(frozen=True)
class AnsweredPuzzle:
    """The part of an answer that shows a puzzle, or once its reader has answered the solution."""

    posed: PosedPuzzle
    solution: Solution | None
    streak: str
    is_subscribed: bool
    """True if the reader gets the puzzle each morning."""

    @classmethod
    def of(cls, result: LineResult, user: User | None) -> AnsweredPuzzle | None:
        """The puzzle of a result, in the active language; None if it is about none."""
        day = _find_day(result) if (result.code, result.outcome) in _TOLD else None
        if day is None or user is None:
            return None
        now = clock.now()
        try:
            stored, puzzle = find_posed(day, user, now)
        except Refused:
            return None
        solution = Solution.find(stored, puzzle, user, now)
        streak = say_streak(measure_streak(user, now)) if solution else ""
        return cls(PosedPuzzle(stored, puzzle), solution, streak, is_subscribed(user))

    @property
    def title(self) -> str:
        if self.solution is None:
            return self.posed.title
        return gettext("The solution: %(title)s") % {"title": self.posed.title}

    @property
    def has_board(self) -> bool:
        return self.solution is None

    def picture(self) -> bytes:
        """The board as a PNG."""
        return self.posed.picture()

    def write_text(self) -> str:
        """The answer as text; its paragraphs are still to be wrapped."""
        return render_to_string(f"emails/{self._template}.txt", self._context).strip("\n")

    def write_html(self) -> SafeString:
        """The answer as HTML, with the picture `cid:board` of a puzzle."""
        return SafeString(render_to_string(f"emails/{self._template}.html", self._context))

    @property
    def _template(self) -> str:
        return "puzzle_posed" if self.solution is None else "puzzle_solved"

    @property
    def _context(self) -> dict[str, object]:
        return {
            "posed": self.posed,
            "solution": self.solution,
            "streak": self.streak,
            "is_subscribed": self.is_subscribed,
        }
