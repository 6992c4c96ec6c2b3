"""`python -m games`: replay, verify, play, learn and bench, without any server."""

from __future__ import annotations

import os
import secrets
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from games.contract import Game, GameError
from games.record_headers import read_hex, read_options
from games.registry import admit, game, list_installed, load
from games.starting import write_package
from games.terminal import figures, lists, messages, records
from games.terminal.arguments import build_parser
from games.terminal.console import Console
from games.terminal.files import create, name_trouble
from games.terminal.language import find_language, read_translator, tell_refusal
from games.terminal.playing import play_sitting, sit_down
from games.terminal.posing import pose
from games.terminal.status import FINE, REFUSED, UNREADABLE
from games.terminal.teaching import teach


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit status, one of `games.terminal.status`."""
    language = find_language(os.environ)
    _admit_installed(language)
    parser = build_parser(language)
    parsed = parser.parse_args(arguments)
    if parsed.command is None:
        parser.print_help(sys.stderr)
        return UNREADABLE
    try:
        return RUN[parsed.command](parsed)
    except GameError as refusal:
        print(tell_refusal(refusal, read_translator(parsed.language)), file=sys.stderr)
        return UNREADABLE
    except (KeyboardInterrupt, BrokenPipeError):
        return REFUSED


def _admit_installed(language: str) -> None:
    """Admit every installed game; one that cannot be imported is named on standard error and left out."""
    found = []
    for slug in list_installed():
        try:
            load(slug)
        except GameError as refusal:
            print(f"note: {refusal.message.text(read_translator(language))}", file=sys.stderr)
        else:
            found.append(slug)
    admit(found)


def run_play(parsed: Namespace) -> int:
    """Play a match at this keyboard."""
    entry = game(parsed.slug)
    seats, people = _count_players(entry, parsed.seats, parsed.bots)
    sitting = sit_down(
        Console(entry, input, print, parsed.language),
        seats=seats,
        people=people,
        level=parsed.level,
        seed=secrets.token_hex(32) if parsed.seed is None else read_hex("--seed", parsed.seed.lower()),
        options=read_options(entry.rules.meta, parsed.options, seats),
    )
    file = create(parsed.save) if parsed.save else None
    try:
        play_sitting(sitting)
    finally:
        if file:
            file.write_text(str(sitting.match.record()), encoding="utf-8")
    return FINE


def _count_players(entry: Game, seats: int | None, bot_count: int | None) -> tuple[int, int]:
    """Return the number of seats, and of people among them. Raises GameError."""
    meta = entry.rules.meta
    if seats is None:
        seats = min(max(meta.min_seats, 3, (bot_count or 0) + 1), meta.max_seats)
    if bot_count is None:
        bot_count = seats - 1
    if not meta.min_seats <= seats <= meta.max_seats or not 0 <= bot_count <= seats:
        raise GameError(
            "bad-seats",
            "{game} is for {least} to {most} players, of whom 0 to all may be bots.",
            game=meta.title,
            least=meta.min_seats,
            most=meta.max_seats,
        )
    return seats, seats - bot_count


def run_tutorial(parsed: Namespace) -> int:
    """Teach a game at this keyboard."""
    return FINE if teach(Console(game(parsed.slug), input, print, parsed.language)) else REFUSED


def run_puzzle(parsed: Namespace) -> int:
    """Pose a puzzle at this keyboard."""
    console = Console(game(parsed.slug), input, print, parsed.language)
    return FINE if pose(console, parsed.number) else REFUSED


def run_new(parsed: Namespace) -> int:
    """Write a package and say what to do with it, in English as the package is."""
    folder = Path(parsed.into) / parsed.name
    try:
        files = write_package(parsed.name, Path(parsed.into))
    except OSError as error:
        raise name_trouble(str(folder), error, GameError) from error
    print(f"{len(files)} files are in {folder}. It can be played and tested as it stands:")
    print(f"  cd {folder} && pip install -e '.[testing]' && pytest && gemgames play {parsed.name}")
    print("What is left to do is marked TODO; README.md lists it.")
    return FINE


RUN: Mapping[str, Callable[[Namespace], int]] = {
    "replay": records.run_replay,
    "verify": records.run_verify,
    "play": run_play,
    "tutorial": run_tutorial,
    "puzzle": run_puzzle,
    "bench": figures.run_bench,
    "analyse": records.run_analyse,
    "archive": lists.run_archive,
    "ratings": lists.run_ratings,
    "new": run_new,
    "messages": messages.run_messages,
}


if __name__ == "__main__":
    sys.exit(main())
