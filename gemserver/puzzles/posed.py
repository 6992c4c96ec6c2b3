"""A puzzle as its reader is shown it: the question, the board, and after an answer the solution, in their language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from games.contract import seat_letter
from games.prose import list_moves
from games.puzzle import Puzzle
from gemserver.accounts.models import User
from gemserver.lib.text.plain import indent_lines
from gemserver.lib.text.translator import translator
from gemserver.matches import prompts
from gemserver.matches.boards import board
from gemserver.matches.words.moves import say_move, word_move
from gemserver.puzzles.answers import Figures, Judged, count_of, find_answer
from gemserver.puzzles.days import is_over
from gemserver.puzzles.models import StoredPuzzle


@dataclass(frozen=True)
class PosedPuzzle:
    """The puzzle of a day: what anybody may know of it before they have answered."""

    stored: StoredPuzzle
    puzzle: Puzzle

    @property
    def title(self) -> str:
        return gettext("Puzzle of the day: %(game)s, %(day)s") % {
            "game": self.stored.title,
            "day": self.day,
        }

    @property
    def day(self) -> str:
        return date_format(self.stored.day, "j M Y") if self.stored.day else ""

    @property
    def names(self) -> tuple[str, ...]:
        return self.puzzle.record.players

    @property
    def mover(self) -> str:
        """The name of whoever is to act."""
        return self.names[self.puzzle.seat]

    @property
    def task(self) -> str:
        return gettext(
            "You are %(name)s (seat %(seat)s). One move is clearly better than all others: which one?"
        ) % {"name": self.mover, "seat": seat_letter(self.puzzle.seat)}

    @property
    def question(self) -> str:
        """The game's question to the seat."""
        return self._prompt.question

    @property
    def examples(self) -> list[str]:
        """Some moves that can be written."""
        return self._prompt.moves

    @property
    def note(self) -> str:
        """How the examples are written, and how many more moves there are."""
        puzzle = self.puzzle
        return self._prompt.explain(puzzle.game.rules, puzzle.state, puzzle.seat, self.examples)

    @cached_property
    def _prompt(self) -> prompts.Prompt:
        said = self.puzzle.game.words.prompt(self.puzzle.view, translator(), self.names)
        return prompts.split_prompt(said)

    @property
    def ways(self) -> list[str]:
        """The examples, each in its sentence, so that no quoted line is one."""
        return list_moves(translator(), self.examples)

    @cached_property
    def drawing(self) -> str:
        """The board in words."""
        return self.puzzle.game.words.draw(self.puzzle.view, translator(), self.names)

    @property
    def indented_drawing(self) -> str:
        return indent_lines(self.drawing)

    def picture(self) -> bytes:
        """The board as a PNG."""
        layout = self.puzzle.game.layout.layout(self.puzzle.view, self.names)
        return board.paint_for_mail(self.stored.game, board.draw(self.stored.game, layout))

    @property
    def url(self) -> str:
        return settings.SITE_URL + self.stored.get_absolute_url()


@dataclass(frozen=True)
class Solution:
    """The solution, shown after a try or once the day is over; `judged` is the reader's try, if there was one."""

    stored: StoredPuzzle
    puzzle: Puzzle
    judged: Judged | None
    figures: Figures

    @classmethod
    def find(
        cls, stored: StoredPuzzle, puzzle: Puzzle, reader: User | AnonymousUser, now: datetime
    ) -> Solution | None:
        """The solution for a reader who may know it: who has answered, or after the day; None for all others."""
        answer = find_answer(stored, reader)
        if answer is None and (stored.day is None or not is_over(stored.day, now)):
            return None
        judged = None
        if answer is not None:
            judged = Judged(answer.move, answer.is_right, puzzle.worth_of(answer.move))
        return cls(stored, puzzle, judged, count_of(stored))

    @property
    def best(self) -> str:
        return self.puzzle.best

    @property
    def verdict(self) -> str:
        """The result of the try in a sentence."""
        if self.judged is None:
            return gettext("The best move: %(best)s.") % {"best": self.say(self.best)}
        if self.judged.is_right:
            return gettext("Right: %(move)s.") % {"move": self.say(self.judged.move)}
        return gettext("Not the best: %(move)s. Better: %(best)s.") % {
            "move": self.say(self.judged.move),
            "best": self.say(self.best),
        }

    def say(self, move: str) -> str:
        """Name a move within a sentence."""
        return say_move(self.puzzle.game.rules, self.puzzle.state, self.puzzle.seat, move)

    @property
    def expectation(self) -> str:
        """A sentence with a bot's expectation of the best move, and of the one that was tried."""
        best = round(self.puzzle.worths[0][1])
        said = gettext(
            "A bot expects %(worth)d of 100 from %(move)s; about 50 is an even match, 100 one that is won."
        ) % {"worth": best, "move": self.say(self.best)}
        if self.judged is None or self.judged.is_right:
            return said
        own = self.judged.worth
        if own is None:
            more = gettext("From %(move)s it expects less than from all those named here.") % {
                "move": self.say(self.judged.move)
            }
        else:
            more = gettext("From %(move)s it expects %(worth)d.") % {
                "move": self.say(self.judged.move),
                "worth": round(own),
            }
        return f"{said} {more}"

    @property
    def worths(self) -> Sequence[tuple[str, str, int]]:
        """The moves that come closest to the best, the best first: in notation, in words, and what a bot expects."""
        puzzle = self.puzzle
        return [
            (move, word_move(puzzle.game.rules, puzzle.state, puzzle.seat, move), round(worth))
            for move, worth in puzzle.worths
        ]

    @property
    def told(self) -> str:
        """How many have found it."""
        return say_figures(self.figures)

    @property
    def source(self) -> str:
        """The address of the move in the match of this server in which the puzzle arose; empty for none."""
        match = self.stored.match
        return reverse("match-ply", args=[match.code, self.stored.ply + 1]) if match else ""

    @property
    def source_url(self) -> str:
        return settings.SITE_URL + self.source if self.source else ""


def say_figures(figures: Figures) -> str:
    """How many have answered, and found the move."""
    if not figures.answered:
        return gettext("Nobody has answered yet.")
    return gettext("Found by %(found)d of %(answered)d.") % {
        "found": figures.found,
        "answered": figures.answered,
    }


def say_streak(streak: int) -> str:
    """The reader's own streak; empty without one."""
    if not streak:
        return ""
    return ngettext(
        "Your streak: %(number)d puzzle found.",
        "Your streak: %(number)d puzzles found in a row.",
        streak,
    ) % {"number": streak}


def show_hour(at: datetime) -> str:
    """The time of day at which the next puzzle is sent, in the active zone."""
    return date_format(timezone.localtime(at), "H:i T")
