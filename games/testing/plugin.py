"""`pytest --game nim.game`: runs the shared tests of all games on this one.

`--game` names an installed game by its slug, or a module with its `GAME`; it may stand several times. Without it the
shared tests run only where they are collected by path, for the games that are admitted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from traceback import format_exc
from typing import Any

import pytest

pytest.register_assert_rewrite("games.testing.conformance")

CONFORMANCE = Path(__file__).parent / "conformance"
_SHARED = f"{__package__}.conformance"

CLAIMS: Mapping[str, Callable[[Any], bool]] = {
    "hidden": lambda game: game.rules.meta.has_hidden,
    "nothing-hidden": lambda game: not game.rules.meta.has_hidden,
    "pieces": lambda game: game.list_pieces is not None,
    "sealed-picks": lambda game: game.rules.meta.has_sealed_picks,
    "sealed-pace": lambda game: game.sealed_pace is not None,
}
"""Claims that a game may make; a test marked with one runs only for games that make it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("gemgames").addoption(
        "--game",
        action="append",
        default=[],
        metavar="NAME",
        help="a game to be tried by the shared tests: the slug of an installed one, or a module with its GAME",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "claimed(what): a shared test for games that claim something (CLAIMS)")
    names = config.getoption("game")
    if not names:
        return
    from games import registry
    from games.contract import Game, GameError

    found: dict[str, Game] = {}
    for name in names:
        try:
            game = import_module(name).GAME if "." in name else registry.find(name)
        except (AttributeError, GameError) as error:
            raise pytest.UsageError(f"--game {name}: {error}") from error
        except Exception as error:  # whatever an author's module may raise
            raise pytest.UsageError(f"--game {name}: {format_exc()}") from error
        found[game.rules.meta.slug] = game
    registry.offer(found)
    if str(CONFORMANCE) not in config.args:
        config.args.append(str(CONFORMANCE))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a shared test for each `case` (a random match) or each `slug` of the games for which it is meant."""
    if not metafunc.function.__module__.startswith(_SHARED):
        return
    from games.registry import GAMES
    from games.testing.cases import list_cases

    marker = metafunc.definition.get_closest_marker("claimed")
    slugs = [slug for slug, game in GAMES.items() if marker is None or CLAIMS[marker.args[0]](game)]
    if "case" in metafunc.fixturenames:
        cases = [case for case in list_cases() if case.slug in slugs]
        metafunc.parametrize("case", cases, ids=str)
    elif "slug" in metafunc.fixturenames:
        metafunc.parametrize("slug", slugs)
