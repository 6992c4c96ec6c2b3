"""`python -m games.testing.fingerprint PACKAGE` prints a random match, to be compared with that of another process."""

from __future__ import annotations

import sys
from importlib import import_module

import msgspec

from games import registry
from games.testing.cases import list_cases, list_moves, play_match


def main(package: str) -> None:
    """Print what each ply offers, tells and leaves behind; the module `game` of the package holds its `GAME`."""
    entry = import_module(f"{package}.game").GAME
    registry.offer({entry.rules.meta.slug: entry})
    for played in play_match(list_cases()[0]):
        legal = list_moves(entry.rules, played.before, played.seat) or []
        for name, found in (
            ("legal_moves", [entry.rules.write(move) for move in legal]),
            ("events", [(event.kind, event.seat, event.data) for event in played.events]),
            ("position", played.after),
        ):
            stored = msgspec.json.encode(found, order="deterministic").decode()
            sys.stdout.write(f"ply {played.ply}, {name}: {stored}\n")


if __name__ == "__main__":
    main(sys.argv[1])
