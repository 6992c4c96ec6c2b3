"""The contents of a puzzle's page; the templates only lay them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from games.contract import Asked, Choice, GameMeta
from gemserver.matches.models import Match
from gemserver.puzzles.posed import PosedPuzzle, Solution
from gemserver.site.match.built_move import BuiltAside
from gemserver.site.match.picture import Picture


@dataclass(frozen=True)
class PuzzlePage(BuiltAside):
    """The puzzle of a day for one reader. `solution`: what they may know by now; None while they may still try.

    `begun` is a move that is still being built, `typed` one that was refused. `is_kept`: an answer would count.
    `can_return`: the solution is shown at the address of the puzzle, not only in answer to this try. `wanted`: the move
    after which the reader wants to see the board; empty for the position that was posed.
    """

    posed: PosedPuzzle
    solution: Solution | None = None
    is_kept: bool = False
    can_return: bool = False
    wanted: str | None = None
    begun: str = ""
    typed: str = ""
    refusal: str = ""

    @property
    def meta(self) -> GameMeta:
        return self.posed.puzzle.game.rules.meta

    @property
    def address(self) -> str:
        return self.posed.stored.get_absolute_url()

    # The board, and a move that is being built on it

    @cached_property
    def match(self) -> Match:
        """No match of anybody's: only what knows how to draw this game."""
        return Match(game=self.posed.stored.game)

    @property
    def seed(self) -> str:
        return self.posed.puzzle.key

    @property
    def ply(self) -> int:
        return self.posed.puzzle.ply

    @property
    def reader(self) -> int:
        return self.posed.puzzle.seat

    @property
    def names(self) -> Sequence[str]:
        return self.posed.names

    @property
    def asked(self) -> Asked | None:
        return None

    @property
    def can_answer(self) -> bool:
        return self.solution is None

    @property
    def answered_position(self) -> Any:
        return self.posed.puzzle.state

    @cached_property
    def undrafted_view(self) -> Any:
        return self.posed.puzzle.view

    @property
    def shown(self) -> str:
        """The move after which the board is shown: with the solution the best one, or another that it names."""
        if self.solution is None:
            return ""
        named = ["", *(move for move, _, _ in self.solution.worths)]
        if self.solution.judged:
            named.append(self.solution.judged.move)
        return self.wanted if self.wanted in named else self.solution.best

    @property
    def shown_words(self) -> str:
        """Like `shown`, as a sentence names it."""
        return self.solution.say(self.shown) if self.solution and self.shown else ""

    @cached_property
    def view(self) -> Any:
        """The position, or the one that a move of the solution, or the finished steps of a move, would make."""
        ahead = self.posed.puzzle.play(self.shown) if self.shown else self.ahead
        return self.undrafted_view if ahead is None else self.match.rules.view(ahead, self.reader)

    @cached_property
    def picture(self) -> Picture:
        last_moves = {} if self.begun else self.posed.puzzle.last_moves
        if self.shown:
            last_moves = {self.reader: self.shown}
        return Picture(self.match, self.view, self.names, None, last_moves)

    def list_steps(self, partial: str) -> Sequence[Choice]:
        return self.match.rules.steps(self.posed.puzzle.state, self.reader, partial)
