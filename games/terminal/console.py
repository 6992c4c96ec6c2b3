"""A place where a person reads and types: nothing here touches a terminal itself, so that a test can play too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from games.contract import Game, GameError, Message, Translator
from games.prose import wrap
from games.terminal.language import read_translator

Ask: TypeAlias = Callable[[str], str]
"""Shows a short text and returns the line that was typed; raises EOFError when there is no more input."""
Say: TypeAlias = Callable[[str], None]


@dataclass(frozen=True)
class Console:
    """Asks and answers in one language, about one game."""

    game: Game
    ask: Ask
    say: Say
    language: str = "en"

    @cached_property
    def tr(self) -> Translator:
        """The sentences of the house and of the game's package."""
        return read_translator(self.language, self.game)

    def tell(self, message: Message | str) -> None:
        """Say one paragraph, wrapped; a message in the reader's language."""
        self.say(wrap(message if isinstance(message, str) else message.text(self.tr)))

    def explain(self, refusal: GameError) -> None:
        """Say why something was refused, and what to do next."""
        self.tell(refusal.message)

    def show_rules(self) -> None:
        """Say the rules of the game."""
        self.say(self.game.read_rules(self.language))
