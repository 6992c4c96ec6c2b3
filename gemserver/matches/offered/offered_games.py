"""The games of this server: those that `settings.GAMES` names, of the house or of packages that are installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file
from pathlib import Path
from typing import Any

from django.conf import settings

from games import registry
from games.contract import ENGLISH, Asked, Event, Game, GameError, Seat, Translator
from gemserver.matches.offered.game_guard import protect

refused: dict[str, str] = {}
"""Names in the setting that could not be loaded, and why; `gemserver.checks` lets no server start with one."""


class RemovedWords:
    """Words for matches of a game that is no longer offered; they say just that."""

    def describe(self, event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
        """The bare kind of the event; the move itself stands beside it."""
        return event.kind

    def describe_alike(
        self, events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
    ) -> str | None:
        return None

    def first_turn(self, tr: Translator) -> str:
        return tr.gettext("This game is not offered here any more.")

    def name_verb(self, verb: str, tr: Translator) -> str:
        return verb

    def prompt(self, view: Any, tr: Translator, names: Sequence[str]) -> str:
        return self.first_turn(tr)

    def draw(self, view: Any, tr: Translator, names: Sequence[str], asked: Asked | None = None) -> str:
        return self.first_turn(tr)


def offer_games() -> None:
    """Load what the setting names, with the translations that lie in the packages; those of others under guard."""
    refused.clear()
    found = {}
    for slug in settings.GAMES:
        try:
            game = registry.load(slug)
            game = game if slug in registry.OWN else protect(game)
        except GameError as error:
            refused[slug] = error.message.text(ENGLISH)
            continue
        found[slug] = game
        _add_translations(game)
    registry.offer(found)


def _add_translations(game: Game) -> None:
    """Sentences of the project come first: those of a package cannot replace them."""
    with as_file(game.folder) as folder:
        path = Path(folder) / "locale"
    if path.is_dir() and path not in settings.LOCALE_PATHS:
        settings.LOCALE_PATHS.append(path)
