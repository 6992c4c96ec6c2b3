"""Measures the speed of the rules and the strength of the computer players. Figures, no judgement."""

from __future__ import annotations

import itertools
import os
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import comb, floor
from typing import Any

from games import bots, plies
from games.chance import Chance
from games.contract import Game, Seat
from games.playouts import AnyRules
from games.record import read_options
from games.registry import game

REPETITIONS = 5
REDUCTION = 20
"""Strength is measured with this fraction of the simulations that the normal bot has in a real match."""
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
        rates.append(_play_random_matches(slug, repetition))
    return Speed(slug, statistics.median(rates), min(rates), max(rates), statistics.median(loops))


def _play_random_matches(slug: str, repetition: int) -> float:
    rules = game(slug).rules
    moves = matches = 0
    began = time.process_time()
    while (elapsed := time.process_time() - began) < _LEAST_SECONDS or matches < 1:
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
    began = time.process_time()
    number, table = 1, {}
    for turn in range(_LOOPS):
        number = (number * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        table[number & 255] = turn
    return _LOOPS / (time.process_time() - began)


@dataclass(frozen=True, slots=True)
class Strength:
    """The score of one level against another in two-seat matches: a win counts 1, a shared place a half."""

    slug: str
    level: str
    against: str
    matches: int
    share: float
    slowest: float
    """Most CPU seconds for one move."""

    @property
    def luck(self) -> float:
        """The chance of so large a share or a larger one between equals; a half left over counts as a loss."""
        won = floor(self.matches * self.share + 1e-9)
        return float(sum(comb(self.matches, wins) for wins in range(won, self.matches + 1)) / 2**self.matches)


def measure_strength(slug: str, level: str, against: str, matches: int, simulations: int) -> Strength:
    """Play every deal twice, with the seats changed; the work is spread over the machine's cores."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(_duel, slug, level, against, number, simulations) for number in range(matches)]
        points, slowest = zip(*(job.result() for job in jobs), strict=True)
    return Strength(slug, level, against, matches, sum(points) / matches, max(slowest))


def _duel(slug: str, level: str, against: str, number: int, simulations: int) -> tuple[float, float]:
    entry = game(slug)
    rules = entry.rules
    tested = number % 2
    state = plies.deal(rules, 2, read_options(rules.meta, "", 2), f"strength {number // 2}")
    chance = Chance(f"strength {number}", "bots")
    slowest = 0.0

    def think(state: Any, seat: Seat) -> Any:
        nonlocal slowest
        began = time.process_time()
        playing = level if seat == tested else against
        move = bots.choose(playing, entry, state, seat, chance, simulations)
        slowest = max(slowest, time.process_time() - began)
        return rules.apply(state, seat, move, chance).state

    *_, state = plies.follow(rules, state, think)
    ranks = rules.ranks(state)
    if ranks[0] == ranks[1]:
        return 0.5, slowest
    return (1.0 if ranks[tested] == 1 else 0.0), slowest


@dataclass(frozen=True, slots=True)
class MoveTime:
    """CPU seconds that a level takes for one move with the most seats."""

    median: float
    most: float


def measure_move_time(slug: str, level: str) -> MoveTime:
    """Measure how long a bot of this level thinks in a real match, at its full strength."""
    entry = game(slug)
    meta = entry.rules.meta
    chance = Chance("move time", "bots")
    state = entry.rules.deal(
        seats=meta.max_seats, options=read_options(meta, "", meta.max_seats), chance=chance
    )
    times = list(_time_moves(level, entry, state, chance))
    return MoveTime(statistics.median(times), max(times))


def _time_moves(level: str, entry: Game, state: Any, chance: Chance) -> Iterator[float]:
    """Yield the CPU seconds of the bot for one move, at every seventh position of a random match."""
    rules = entry.rules
    reached = plies.follow(rules, state, partial(_play_at_random, rules, chance))
    for ply, before in enumerate(itertools.chain([state], reached)):
        if ply % 7 == 0 and (waiting := rules.waiting_on(before)):
            began = time.process_time()
            bots.choose(level, entry, before, min(waiting), chance)
            yield time.process_time() - began
