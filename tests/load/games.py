"""Random playouts, every move checked for legality, beside random games of python-chess and what is asked of us.

Then the simulations of a hard player's search, beside its game's random moves.
"""

from __future__ import annotations

import importlib
import math
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from games import bench, bots, plies
from games.chance import Chance
from games.record_headers import read_options
from games.registry import GAMES, game
from tests.load.figures import Figure, Say

ASKED = 10_000
CHESS = "chess==1.11.2"
"""python-chess, under the GPL 3: it is installed for the measurement alone, and no part of anything."""
BESIDE_CHESS = {"gembatan": 1.0}
"""The ratio aimed at; 2 where nothing stands here. A move of Gembatan is a whole turn."""
ROUNDS, LEAST_SECONDS = 9, 0.4
SEARCHED = 12
"""Plies after which a hard player of two is asked."""


def measure(say: Say, folder: Path) -> list[Figure]:
    """Each game with every number of seats, on one core, in moves per second of CPU time."""
    chess = _install_chess(folder / "chess", say)
    speeds: dict[str, list[float]] = {slug: [] for slug in GAMES}
    theirs: dict[str, list[float]] = {slug: [] for slug in GAMES}
    searched: dict[str, list[float]] = {slug: [] for slug in GAMES}
    for number in range(ROUNDS):
        for slug in GAMES:
            searched[slug].append(_search(slug, number))
            speeds[slug].append(bench.play_random_matches(slug, number))
            theirs[slug].append(_play_chess(chess, number) if chess else math.nan)
    figures = []
    for slug in GAMES:
        ours, rates = statistics.median(speeds[slug]), statistics.median(theirs[slug])
        figures.append(Figure(f"random moves, {slug}", ours, "what is asked", ASKED, "/s", "at least", 1))
        beside = "python-chess" if chess else "python-chess, not to be had here"
        aim = BESIDE_CHESS.get(slug, 2.0) if chess else None
        figures.append(Figure("the same", ours, beside, rates, "/s", "at least", aim))
        found = statistics.median(searched[slug])
        figures.append(Figure(f"simulations of a hard player, {slug}", found, "its random moves", ours, "/s"))
    return figures


def _install_chess(target: Path, say: Say) -> Any:
    """The module, or None where it cannot be had."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), CHESS]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        say(f"python-chess cannot be had here: {done.stderr.strip()[-200:]}")
        return None
    sys.path.append(str(target))
    return importlib.import_module("chess")


def _search(slug: str, number: int) -> float:
    """Simulations a second of CPU time for one choice of a hard player, some plies into a match of two."""
    entry = game(slug)
    rules, chance = entry.rules, Chance(f"bench {number}", "search")
    state = plies.deal(rules, 2, read_options(rules.meta, "", 2), f"bench {number}")
    plies_left = SEARCHED
    while plies_left > 0 or rules.forced_move(state):
        asked = min(rules.waiting_on(state))
        seat, move = rules.forced_move(state) or (asked, rules.random_move(state, asked, chance))
        state = rules.apply(state, seat, move, chance).state
        plies_left -= 1
    began = time.thread_time()
    bots.choose("hard", entry, state, min(rules.waiting_on(state)), chance)
    return bots.count_simulations(entry, state, "hard") / (time.thread_time() - began)


def _play_chess(chess: Any, number: int) -> float:
    """Random moves a second of CPU time, chosen and played as a program that uses the library would."""
    rng = random.Random(number)
    moves, began = 0, time.thread_time()
    while (elapsed := time.thread_time() - began) < LEAST_SECONDS:
        board = chess.Board()
        while not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
            moves += 1
    return moves / elapsed
