"""`python -m tests.load [PART …]`: runs every measurement or those named; status 1 if a target is missed."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from tests.load.figures import Figure, write_table
from tests.services.daemons import Postgres, find_postgres

PARTS: Mapping[str, str] = {
    "games": "random playouts of every game",
    "moves": "moves over HTTP: how many a second, and how long one takes",
    "peers": "moves by programs, beside boardgame.io",
    "mails": "mails received, stored, read and played",
    "turns": "mails about turns, written and handed over",
    "pages": "the pages of matches that have gone on for long",
    "positions": "a position late in a match and early in it",
    "growth": "moves, mails and pages among ten and a hundred times as much",
    "players": "pages of players and games among ten and a hundred times as many finished matches",
    "waiting": "programs that wait for their turns",
    "processes": "memory and start of each process",
    "hostile": "the slowest texts that a search for hostile ones finds",
    "sweep": "a sweep among few and among a million waiting seats",
    "partitions": "the tables of mails and moves, divided while people play",
    "million": "sweeps, moves, mails, pages and moderators' lists among ten thousand and a million matches",
}
"""In the order in which they run; each is a module with a `measure`."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--rows", type=int, help="of the tables that are divided; only for partitions")
    parser.add_argument(
        "--seed", type=int, help="of the moves that are played meanwhile; only for partitions"
    )
    given = parser.parse_args()
    os.environ |= {name: str(value) for name, value in (("ROWS", given.rows), ("SEED", given.seed)) if value}
    chosen = given.parts or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"there is no {', '.join(unknown)}; choose from {', '.join(PARTS)}")
    if find_postgres("postgres") is None:
        print("The server is measured on PostgreSQL; install Debian's package postgresql.")
        return 0
    figures: list[Figure] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gem-load-")))
        folder.chmod(0o755)  # PostgreSQL runs as another user
        postgres = Postgres(folder)
        stack.callback(postgres.stop)
        postgres.start()
        for part in chosen:
            print(f"\n{part}: {PARTS[part]}", flush=True)
            figures += _measure(part, postgres, folder)
    print(f"\n{write_table(figures)}")
    return 0 if all(figure.is_met for figure in figures) else 1


def _measure(part: str, postgres: Postgres, folder: Path) -> list[Figure]:
    """Measure in a process and a database of its own, so that no part runs among the rows of another."""
    postgres.create(f"gem_{part}")
    own = folder / part
    own.mkdir(mode=0o755)
    environment = os.environ | {"DATABASE_URL": postgres.url_of(f"gem_{part}"), "GEMSERVER_VAR": str(own)}
    subprocess.run([sys.executable, "-m", "tests.load.part", part], env=environment, check=True)
    rows = json.loads((own / "figures.json").read_text(encoding="utf-8"))
    return [Figure(**row) for row in rows]


if __name__ == "__main__":
    sys.exit(main())
