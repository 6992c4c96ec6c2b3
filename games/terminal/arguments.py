"""The commands of `python -m games` with their arguments."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from games import analysis, bench, bots
from games.registry import GAMES
from games.terminal.language import list_languages

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def count_of(text: str) -> int:
    """Read a number of repetitions. Raises ArgumentTypeError for less than one."""
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


IN_ENGLISH = ("bench", "messages", "new")
"""Commands for those who write a game."""


def build_parser(language: str) -> argparse.ArgumentParser:
    """The parser of all commands; `command` of what it returns names the one that was given, None for none.

    `language`: the one that is spoken unless `--language` names another.
    """
    parser = argparse.ArgumentParser(prog="gemgames", description="Table games without any server.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_checks(commands)
    _add_playing(commands)
    _add_measuring(commands)
    _add_public_lists(commands)
    _add_new(commands)
    parser.set_defaults(language=language)
    for name, command in commands.choices.items():
        if name not in IN_ENGLISH:
            command.add_argument(
                "--language",
                default=language,
                choices=list_languages(),
                metavar="LANGUAGE",
                help=f"{', '.join(list_languages())}; default: the terminal's",
            )
    return parser


def _add_checks(commands: Commands) -> None:
    replaying = commands.add_parser("replay", help="play a match record again and show where it leads")
    replaying.add_argument("file", help="a match record, or - for standard input")
    replaying.add_argument("--json", action="store_true", help="one JSON object instead of text")

    verifying = commands.add_parser(
        "verify",
        help="check commitment, seed, moves and sealed orders of a record",
        description="Check commitment, seed, moves and sealed orders of a record.",
        epilog="Exit status: 0, everything fits; 1, something does not fit, it is named; 2, this is no record that can "
        "be checked; 3, nothing contradicts the rest, but a sealed order or the end is missing.",
    )
    verifying.add_argument("file", help="a match record, or - for standard input")


def _add_playing(commands: Commands) -> None:
    playing = commands.add_parser("play", help="play here, against computer players")
    playing.add_argument("slug", choices=sorted(GAMES), metavar="GAME", help=", ".join(sorted(GAMES)))
    playing.add_argument(
        "--seats", type=int, help="how many players; default: the fewest, at least 3 if possible"
    )
    playing.add_argument(
        "--bots", type=int, help="how many of them are computer players; default: all but you"
    )
    playing.add_argument(
        "--level", choices=bots.LEVELS, default="normal", help="how they play (default: normal)"
    )
    playing.add_argument(
        "--options", default="", metavar="TEXT", help="as in a record, for example: pace=table"
    )
    playing.add_argument("--seed", help="64 hex digits; default: a fresh one")
    playing.add_argument("--save", metavar="FILE", help="write the record into this new file too")

    teaching_game = commands.add_parser("tutorial", help="learn a game, step by step")
    teaching_game.add_argument("slug", choices=sorted(GAMES), metavar="GAME", help=", ".join(sorted(GAMES)))

    posing_puzzle = commands.add_parser("puzzle", help="solve a puzzle: find the best move of a position")
    posing_puzzle.add_argument("slug", choices=sorted(GAMES), metavar="GAME", help=", ".join(sorted(GAMES)))
    posing_puzzle.add_argument("number", nargs="?", type=int, help="which one, from 1; default: any")


def _add_measuring(commands: Commands) -> None:
    benching = commands.add_parser("bench", help="moves per second of random playouts")
    benching.add_argument(
        "slug",
        nargs="?",
        choices=sorted(GAMES),
        metavar="GAME",
        help=f"{', '.join(sorted(GAMES))}; default: all",
    )
    benching.add_argument(
        "--repeat", type=count_of, default=bench.REPETITIONS, help="repetitions (default: 5)"
    )
    benching.add_argument(
        "--asking",
        type=count_of,
        default=20,
        metavar="N",
        help="matches in which prompts are counted (default: 20)",
    )
    benching.add_argument("--ratings", action="store_true", help="only if ratings predict results")
    benching.add_argument(
        "--matches", type=count_of, default=200, help="matches for each game's ratings (default: 200)"
    )

    analysing = commands.add_parser(
        "analyse",
        help="hold each move of a record against a computer player's choice",
        description="List the moves of a record that lost most beside a computer player's choice. Worth and loss are "
        "parts of 100, estimated for what each seat could know then.",
    )
    analysing.add_argument("file", help="a match record, or - for standard input")
    analysing.add_argument(
        "--all", action="store_true", help="list every choice in its order, not the ten worst"
    )
    analysing.add_argument(
        "--simulations",
        type=count_of,
        default=analysis.SIMULATIONS,
        help="for each choice (default: %(default)s)",
    )


def _add_public_lists(commands: Commands) -> None:
    archived = commands.add_parser(
        "archive",
        help="replay every match of an archive, or show one of them",
        description="Replay every match of a server's archive (JSON lines, mostly compressed), or show one of them.",
        epilog="Exit status: 0, every match replays to its end and result; 1, one does not, it is named; 2, this is no "
        "archive, or it has no match of this number.",
    )
    archived.add_argument("file", help="an archive: gemserver-2026-10.jsonl.gz")
    archived.add_argument("number", nargs="?", type=int, help="show where this match of the archive led")
    archived.add_argument(
        "--record", action="store_true", help="print its record, which `replay` reads, instead"
    )

    rating = commands.add_parser(
        "ratings",
        help="compute ratings anew from a server's list of results",
        description="Compute all ratings anew from a server's list of results, and print them, best first.",
        epilog="Exit status: 0, the list's own figures are the same; 1, one differs, it is named; 2, this is no list "
        "of results.",
    )
    rating.add_argument("file", help="a list of results (CSV), or - for standard input")


def _add_new(commands: Commands) -> None:
    starting = commands.add_parser("new", help="write a package with a game of your own, to begin with")
    starting.add_argument(
        "name", metavar="NAME", help="of the package and the game: small letters, digits, _"
    )
    starting.add_argument("--into", default=".", metavar="FOLDER", help="where (default: here)")

    translating = commands.add_parser(
        "messages",
        help="find the sentences of your game, and compile its translations",
        description="Find the sentences of your game, write those of each language into its package's "
        "locale/LANGUAGE/LC_MESSAGES/django.po, keeping what is translated there, and compile that. Translate in this "
        "file, and run it again. Needs GNU gettext, and the package installed by pip install -e.",
    )
    translating.add_argument("slug", metavar="GAME", help="your game")
    translating.add_argument("languages", nargs="+", metavar="LANGUAGE", help="de, fr …")
