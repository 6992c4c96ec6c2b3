"""Makes the stock of puzzles that the games bring, and solves it again with another search.

    python -m tests.puzzles make gem --number 25      looks through matches of easy bots, and adds to the game's file
    python -m tests.puzzles solve                     solves all of them anew, and says how many it agrees on

Both take minutes to hours of CPU. `make` goes on with the match after the last one of which the file has a puzzle, or
after `--after`; the same number always gives the same match.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from importlib.resources import as_file
from pathlib import Path

from games.contract import Game
from games.match import Match
from games.puzzle import FILE, FOLDER, Puzzle, find_puzzle, list_questions, read_puzzles
from games.record import MoveLine
from games.registry import OWN, admit, game
from tests.puzzles.solver import SEED, SIMULATIONS, solve

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Flo", "Gus", "Hal")
APART = 12
"""Plies between two puzzles of one match, so that they are different puzzles."""
EVERY = 2
"""One position in so many is looked at."""
MOST_OF_MATCH = 2
IN_VAIN = 28
"""Matches without a puzzle after which a game passes for one that has none; in so many Gembatan had none."""
EARLY = 0.3
"""Of a match, as a part of its plies: so early hardly any move is clearly the best."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("game", help="of the house, or of a package that was installed by pip install -e")
    making.add_argument("--number", type=int, default=25, help="puzzles in the file at the end")
    making.add_argument("--after", type=int, default=0, help="the number of a match")
    making.add_argument(
        "--in-vain",
        type=int,
        default=IN_VAIN,
        metavar="N",
        help=f"give up after so many matches in a row without a puzzle; {IN_VAIN} if not given",
    )
    solving = commands.add_parser("solve")
    solving.add_argument("games", nargs="*", metavar="game", help="all, if none is named")
    solving.add_argument("--seed", default=SEED)
    solving.add_argument("--simulations", type=int, default=SIMULATIONS)
    given = parser.parse_args()
    if given.command == "make":
        return make(_admit(given.game), given.number, given.after, given.in_vain)
    return solve_all([_admit(slug) for slug in given.games or OWN], given.seed, given.simulations)


def _admit(slug: str) -> Game:
    """The game of the house or of a package; its records can be read from now on."""
    admit([*OWN, slug])
    return game(slug)


def make(entry: Game, wanted: int, after: int, patience: int) -> int:
    """Add puzzles to the game's file until it has so many; 1 if so many matches in a row have none.

    Some games have hardly a position in which one move leads all others.
    """
    with as_file(entry.folder) as folder:
        path = Path(folder) / FOLDER / FILE
    kept, number, vain = len(read_puzzles(entry)), after, 0
    while kept < wanted:
        if vain >= patience:
            print(
                f"{entry.rules.meta.slug}: no puzzle in the last {vain} matches, so no more are sought; "
                f"to go on: --after {number}",
                flush=True,
            )
            return 1
        number += 1
        found = list(find_in_match(entry, number))
        if found:
            path.parent.mkdir(exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.writelines(f"{puzzle.write()}\n" for puzzle in found)
        kept, vain = kept + len(found), 0 if found else vain + 1
        print(
            f"{entry.rules.meta.slug}: match {number}, {kept} puzzles, {time.process_time():.0f} s",
            flush=True,
        )
    return 0


def find_in_match(entry: Game, number: int) -> Iterator[Puzzle]:
    """Yield the puzzles of the match with this number, one in three of which has three seats, where that is allowed."""
    meta = entry.rules.meta
    seats = min(max(3 if number % 3 == 0 else 2, meta.min_seats), meta.max_seats)
    match = Match.new(entry, players=NAMES[:seats], seed=f"puzzle stock {meta.slug} {number}")
    while not match.is_over:
        match.play_forced() or match.play_bot("easy")
    record, found, last = match.record(), 0, -APART
    for place, reached in enumerate(list_questions(record)):
        line = record.moves[reached.ply]
        assert isinstance(line, MoveLine)
        is_early = reached.ply < EARLY * len(record.moves)
        if place % EVERY or is_early or reached.ply < last + APART:
            continue
        puzzle = find_puzzle(entry, record, reached, line.seat)
        if puzzle:
            yield puzzle
            found, last = found + 1, reached.ply
            if found == MOST_OF_MATCH:
                return


def solve_all(entries: list[Game], seed: str, simulations: int) -> int:
    """Solve the puzzles of these games, and print how many answers agree; 1 if fewer than 95 of 100 do."""
    agreed = total = 0
    for entry in entries:
        puzzles, own = read_puzzles(entry), 0
        for puzzle in puzzles:
            answer = solve(puzzle, seed, simulations)
            is_same = puzzle.is_right(answer)
            own += is_same
            if not is_same:
                print(
                    f"  {entry.rules.meta.slug} {puzzle.key}: {puzzle.best} here, {answer} there", flush=True
                )
        print(
            f"{entry.rules.meta.slug}: {own} of {len(puzzles)} agree, {time.process_time():.0f} s", flush=True
        )
        agreed, total = agreed + own, total + len(puzzles)
    print(f"{agreed} of {total} agree (seed {seed!r}, {simulations} simulations)")
    return 0 if agreed >= 0.95 * total else 1


if __name__ == "__main__":
    sys.exit(main())
