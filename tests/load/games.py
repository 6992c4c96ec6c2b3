"""Random playouts, every move checked for legality, beside the number of moves per second required of every game."""

from __future__ import annotations

from pathlib import Path

from games import bench
from games.registry import GAMES
from tests.load.figures import Figure, Say

ASKED = 10_000


def measure(say: Say, folder: Path) -> list[Figure]:
    """Each game with every number of seats, on one core, in moves per second of CPU time."""
    speeds = [bench.measure_speed(slug) for slug in GAMES]
    for speed in speeds:
        say(f"{speed.slug}: {speed.ratio:.1f} moves per 1000 turns of a fixed loop")
    return [
        Figure(f"random moves, {speed.slug}", speed.median, "what is asked", ASKED, "/s", "at least", 1)
        for speed in speeds
    ]
