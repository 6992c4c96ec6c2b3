"""Measures the speed of the rules. Figures, no judgement; `tests/strength` measures the computer players."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from games import plies
from games.chance import Chance
from games.contract import Seat
from games.playouts import AnyRules
from games.record_headers import read_options
from games.registry import game

REPETITIONS = 5
_LOOPS = 400_000
_LEAST_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Speed:
    """Random playouts of one game with legality checked on every move, in moves per second of CPU."""

    slug: str
    median: float
    least: float
    most: float
    calibration: float
    """Turns per second of a fixed pure-Python loop, measured between the repetitions."""

    @property
    def ratio(self) -> float:
        """Moves per thousand turns of the calibration loop: comparable between machines."""
        return 1000 * self.median / self.calibration


def measure_speed(slug: str, repetitions: int = REPETITIONS) -> Speed:
    """Play random matches with every number of seats in turn, `repetitions` times."""
    rates, loops = [], []
    for repetition in range(repetitions):
        loops.append(_calibrate())
        rates.append(play_random_matches(slug, repetition))
    return Speed(slug, statistics.median(rates), min(rates), max(rates), statistics.median(loops))


def play_random_matches(slug: str, repetition: int) -> float:
    """Play for a while, and return the moves per second of CPU; the number says which matches."""
    rules = game(slug).rules
    moves = matches = 0
    began = time.thread_time()
    while (elapsed := time.thread_time() - began) < _LEAST_SECONDS or matches < 1:
        seats = rules.meta.min_seats + matches % (rules.meta.max_seats - rules.meta.min_seats + 1)
        chance = Chance(f"bench {repetition} {matches}", "playout")
        state = rules.deal(seats=seats, options=read_options(rules.meta, "", seats), chance=chance)
        for _ in plies.follow(rules, state, partial(_play_at_random, rules, chance)):
            moves += 1
        matches += 1
    return moves / elapsed


def _play_at_random(rules: AnyRules, chance: Chance, state: Any, seat: Seat) -> Any:
    return rules.apply(state, seat, rules.random_move(state, seat, chance), chance).state


def _calibrate() -> float:
    """Turns per second of a loop that never changes."""
    began = time.thread_time()
    number, table = 1, {}
    for turn in range(_LOOPS):
        number = (number * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        table[number & 255] = turn
    return _LOOPS / (time.thread_time() - began)
