"""The page as the board and the buttons of a move need to know it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

from games import plies, registry
from games.contract import Asked, Choice, GameError
from gemserver.lib.text.translator import translator
from gemserver.matches.models import Match
from gemserver.matches.prompts import Prompt, split_prompt
from gemserver.matches.said import in_notation, offer_moves
from gemserver.matches.words.moves import find_path, name_move
from gemserver.site.match.picture import Picture


class BuildsMove(Protocol):
    """A page on which a move is built: that of a match, of a what-if, or a step of a tutorial."""

    @property
    def match(self) -> Match: ...
    @property
    def reader(self) -> int | None: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def asked(self) -> Asked | None: ...
    @property
    def can_answer(self) -> bool: ...
    @property
    def begun(self) -> str: ...
    @property
    def choices(self) -> Sequence[tuple[Choice, str]]: ...
    @property
    def view(self) -> Any: ...
    @property
    def picture(self) -> Picture: ...
    @property
    def undrafted_view(self) -> Any: ...
    @property
    def answered_position(self) -> Any: ...
    def list_steps(self, partial: str, /) -> Sequence[Choice]: ...


class BuiltAside(BuildsMove, Protocol):
    """A page on which a move is built that no match waits for: nothing is looked up but the rules."""

    @property
    def seed(self) -> str: ...
    @property
    def ply(self) -> int: ...
    @property
    def typed(self) -> str: ...

    @property
    def question(self) -> str:
        """The game's question to the seat."""
        return self._prompt.question

    @property
    def examples(self) -> Sequence[str]:
        """Some moves that can be written."""
        return self._prompt.moves

    @property
    def note(self) -> str:
        """How the examples are written, and how many more moves there are."""
        seat = self.reader
        if not self.can_answer or seat is None:
            return self._prompt.note
        return self._prompt.explain(self.match.rules, self.answered_position, seat, self.examples)

    @cached_property
    def _prompt(self) -> Prompt:
        said = self.match.words.prompt(self.undrafted_view, translator(), self.names)
        return split_prompt(said)

    @cached_property
    def offered(self) -> Sequence[tuple[str, str]]:
        """Moves that may be meant by what was typed, if it is no move; each in notation and in words."""
        seat = self.reader
        if not self.typed or not self.can_answer or seat is None:
            return ()
        game, state = registry.game(self.match.game), self.answered_position
        if in_notation(game, state, seat, self.typed, self.names) != self.typed:
            return ()  # it was understood, and refused for another reason
        offered = offer_moves(game, state, seat, self.typed, self.names)
        return [(move, name_move(game.rules, state, seat, move)) for move in offered]

    @cached_property
    def ahead(self) -> Any:
        """The position after the finished steps of the move that is being built; None before the first is finished."""
        rules, state, seat = self.match.rules, self.answered_position, self.reader
        if not self.begun or seat is None or not self.choices_lead_on:
            return None
        finished = [choice.text for choice in find_path(rules, state, seat, self.begun) if choice.complete]
        if not finished:
            return None
        try:
            return plies.play_text(rules, state, seat, finished[-1], self.seed, self.ply + 1)[1].state
        except GameError:
            return None

    @property
    def choices_lead_on(self) -> bool:
        """True if the buttons go on from what was built so far."""
        try:
            return bool(self.list_steps(self.begun))
        except GameError:
            return False

    @cached_property
    def choices(self) -> Sequence[tuple[Choice, str]]:
        """The choices that continue the move from `begun`, each with its label."""
        if not self.can_answer:
            return ()
        try:
            return [(choice, choice.label.text(translator())) for choice in self.list_steps(self.begun)]
        except GameError:
            return ()
