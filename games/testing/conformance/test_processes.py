"""A server plays each match in several processes: all of them must come to the same."""

from __future__ import annotations

import os
import subprocess
import sys

from games.registry import game

HASH_SEEDS = "1", "2", "3"
"""Seeds by which Python hashes text: each gives sets of it another order."""


def test_every_process_plays_the_same(slug: str) -> None:
    command = [sys.executable, "-m", "games.testing.fingerprint", game(slug).package]
    path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
    printed = [
        subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for hash_seed in HASH_SEEDS
    ]
    for lines in zip(*printed, strict=False):
        assert len(set(lines)) == 1, (
            "processes disagree, as where the order of a set decides (sort it, or take a tuple): "
            + " or ".join(sorted(set(lines)))
        )
