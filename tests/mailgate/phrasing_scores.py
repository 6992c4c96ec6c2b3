"""`python -m tests.mailgate.phrasing_scores`: counts the sentences of each set that the mail gate understands.

For each game and language: how many of the moves that people wrote were played, and how often something else was.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mailgate.phrasing_scores", description=__doc__)
    parser.add_argument("sets", nargs="*", help="such as gem, or gem.fr (default: all)")
    parser.add_argument("--show", action="store_true", help="print every sentence that was misunderstood")
    parser.add_argument("--folder", type=Path, help="read the sets and positions there (draw_positions)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gem-phrasings-") as folder:
        set_up(Path(folder))
        return _print_scores(given.sets, given.show, given.folder)


def _print_scores(sets: list[str], show: bool, folder: Path | None) -> int:
    """Print a line for each set; return 1 if anything was played that was not meant."""
    from tests.mailgate import phrasing_sets
    from tests.mailgate.phrasing_sets import GAMES, LANGUAGES

    phrasing_sets.FOLDER = folder or phrasing_sets.FOLDER
    total: Counter[str] = Counter()
    print(f"{'set':16} {'played':>12} {'wrong':>12}")
    for game in GAMES:
        for language in LANGUAGES:
            name = f"{game}.{language}"
            if not sets or {game, name} & {*sets}:
                counted = _count(game, language, show)
                total += counted
                _print_line(name, counted)
    _print_line("all", total)
    return 1 if total["wrong"] else 0


def _count(game: str, language: str, show: bool) -> Counter[str]:
    """Send every sentence of a set."""
    from tests.mailgate.phrasing_sets import play_set

    counted: Counter[str] = Counter()
    for each, played in play_set(game, language):
        meant = [each.move] if each.move else []
        counted["meant"] += bool(meant)
        counted["prose"] += not meant
        counted["played"] += bool(meant) and played == meant
        counted["wrong"] += bool(played) and played != meant
        if show and played != meant:
            print(f"  {each}; played: {', '.join(played) or '-'}")
    return counted


def _print_line(name: str, counted: Counter[str]) -> None:
    everything = counted["meant"] + counted["prose"]
    played, wrong = f"{counted['played']}/{counted['meant']}", f"{counted['wrong']}/{everything}"
    print(f"{name:16} {played:>12} {wrong:>12}", flush=True)


def set_up(folder: Path) -> None:
    """Set Django up on an empty database in memory."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "GEMSERVER_MODE": "test",
        "GEMSERVER_VAR": str(folder),
        "DATABASE_URL": "sqlite:///:memory:",
        "LOG_LEVEL": "CRITICAL",
    }
    import django

    django.setup()
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    call_command("migrate", verbosity=0)
    setup_test_environment()


if __name__ == "__main__":
    sys.exit(main())
