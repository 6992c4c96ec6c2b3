"""The games that can be played here: those of the house, and any that is installed and admitted by its name.

A package offers a game as an entry point of the group `gemgames.games`, whose name is the game's slug. Nothing is
loaded that nobody has named: a host admits what its settings list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points

from games.contract import Game, GameError

GROUP = "gemgames.games"
OWN: Mapping[str, str] = {
    "florentine": "games.florentine.game:GAME",
    "gem": "games.gem.game:GAME",
    "gembatan": "games.gembatan.game:GAME",
    "gemessengers": "games.gemessengers.game:GAME",
    "jewellers": "games.jewellers.game:GAME",
}
"""The games of the house. `games/pyproject.toml` declares the same; from the tree they need not be installed."""


class UnknownGame(GameError):
    """No game has this slug, or what is installed under it is no game."""


def list_installed() -> list[str]:
    """The slugs of all games that could be loaded: those of the house, then others by name."""
    return [*OWN, *sorted({point.name for point in entry_points(group=GROUP)} - OWN.keys())]


def load(slug: str) -> Game:
    """Import the game that is installed under this slug. Raises UnknownGame.

    No other package can take the name of a game of the house.
    """
    if slug in OWN:
        return _check(slug, EntryPoint(slug, OWN[slug], GROUP))
    points = list(entry_points(group=GROUP, name=slug))
    if len(points) > 1:
        values = ", ".join(sorted(point.value for point in points))
        raise UnknownGame(
            "two-games", "Several packages offer a game “{slug}”: {values}.", slug=slug, values=values
        )
    if not points:
        raise UnknownGame("not-installed", "No package is installed that offers a game “{slug}”.", slug=slug)
    return _check(slug, points[0])


def _check(slug: str, point: EntryPoint) -> Game:
    try:
        found = point.load()
    except Exception as error:  # a stranger's package may fail in any way
        raise UnknownGame(
            "broken-game",
            "The game “{slug}” cannot be imported from {value}: {reason}",
            slug=slug,
            value=point.value,
            reason=f"{type(error).__name__}: {error}",
        ) from error
    if not isinstance(found, Game) or found.rules.meta.slug != slug:
        raise UnknownGame(
            "no-game", "{value} is no game with the slug “{slug}”.", slug=slug, value=point.value
        )
    return found


GAMES: dict[str, Game] = {slug: load(slug) for slug in OWN}
"""The games that can be played in this process, in the order in which they are offered."""


def admit(slugs: Iterable[str]) -> None:
    """Offer these games and no others. Raises UnknownGame; then nothing has changed."""
    offer({slug: GAMES.get(slug) or load(slug) for slug in slugs})


def offer(games: Mapping[str, Game]) -> None:
    """Offer these games, which the host has loaded itself."""
    found = dict(games)
    GAMES.clear()
    GAMES.update(found)


def game(slug: str) -> Game:
    """The game with this slug. Raises UnknownGame (`unknown-game`)."""
    if slug not in GAMES:
        raise _unknown(slug, GAMES)
    return GAMES[slug]


def find(slug: str) -> Game:
    """The game with this slug, whether it was admitted or is only installed. Raises UnknownGame."""
    if slug in GAMES:
        return GAMES[slug]
    installed = list_installed()
    if slug not in installed:
        raise _unknown(slug, installed)
    return load(slug)


def _unknown(slug: str, known: Iterable[str]) -> UnknownGame:
    return UnknownGame(
        "unknown-game",
        "There is no game “{slug}”. The games are: {slugs}.",
        slug=slug,
        slugs=", ".join(known),
    )
