"""A console on which these lines are typed, and then no more."""

from __future__ import annotations

from collections.abc import Iterator

from games.contract import Game
from games.terminal.console import Console


def type_lines(game: Game, *typed: str, language: str = "en") -> tuple[Console, list[str]]:
    """The console, and the list of all that it asks and says."""
    shown: list[str] = []
    lines: Iterator[str] = iter(typed)

    def ask(question: str) -> str:
        shown.append(question)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    return Console(game, ask, shown.append, language), shown
