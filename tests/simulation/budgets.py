"""How long a season must be: `python -m tests.simulation.budgets` prints the tables of `docs/decisions/events.md`.

Fixtures are played at random, every choice by chance, and each answer takes as long as answers of people took in 236
recorded matches of another slow game server. A fixture finishes within its budgets if the slowest seat does.
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

from games import bots, plies
from games.chance import Chance
from games.course import Course
from games.record_headers import read_options
from games.registry import GAMES, game
from gemserver.events.arithmetic.budget import SEASON_DAYS, bank_for

SEED = "season budgets 2026"
MATCHES = 60
"""Matches played for each game, number of seats and pace."""
FIXTURES = 20_000
"""Fixtures whose answers are drawn for each of them."""
SHARE = 0.99

WAITS = (
    (0.0, 1 / 6),
    (0.25, 0.5),
    (0.5, 1.4),
    (0.75, 4.5),
    (0.9, 9.3),
    (0.95, 13.8),
    (0.99, 36),
    (0.9972, 72),
    (1, 168),
)
"""Hours that a share of all answers took at most. Waits below ten minutes do not count, nor those above a week."""


@dataclass(frozen=True, slots=True)
class Needed:
    """The needs of a game: decisions of a seat, times that the table waits, and the budget of 99 % of the fixtures."""

    game: str
    seats: int
    pace: str
    decisions: float
    waits: float
    hours: int
    in_a_month: float
    """The share of fixtures that finish within the budgets of 28 days."""


def measure(slug: str, seats: int, pace: str, *, matches: int = MATCHES, fixtures: int = FIXTURES) -> Needed:
    """Play matches, then draw answers for many fixtures with as many decisions."""
    played = [_count_decisions(slug, seats, pace, number) for number in range(matches)]
    rng = random.Random(f"{SEED} {slug} {seats} {pace}")
    slowest = sorted(
        max(sum(draw_wait(rng) for _ in range(count)) for count in rng.choice(played)[1])
        for _ in range(fixtures)
    )
    month = bank_for(28, seats).total_seconds() / 3600
    return Needed(
        game=slug,
        seats=seats,
        pace=pace,
        decisions=mean(count for _, counts in played for count in counts),
        waits=mean(waits for waits, _ in played),
        hours=math.ceil(slowest[math.ceil(SHARE * fixtures) - 1]),
        in_a_month=sum(hours <= month for hours in slowest) / fixtures,
    )


def draw_wait(rng: random.Random) -> float:
    """Hours until an answer; between the measured shares its logarithm grows evenly."""
    share = rng.random()
    for (low, shorter), (high, longer) in pairwise(WAITS):
        if share <= high:
            return shorter * (longer / shorter) ** ((share - low) / (high - low))
    return WAITS[-1][1]


def _count_decisions(slug: str, seats: int, pace: str, number: int) -> tuple[int, Sequence[int]]:
    """How often the table waits in a random match, and how often each seat is asked."""
    entry = game(slug)
    seed = f"{SEED} {slug} {number}"
    options = read_options(entry.rules.meta, f"pace={pace}" if entry.sealed_pace else "", seats)
    state = plies.deal(entry.rules, seats, options, seed)
    course = Course(entry, state, 0, pace == "sealed", seed)
    people = Chance(seed, "people")
    asked: Counter[int] = Counter()
    waits = 0
    _run(course)
    while waiting := course.asked:
        waits += 1
        for seat in sorted(waiting):
            asked[seat] += 1
            _answer(course, seat, people)
            _run(course)
    return waits, [asked[seat] for seat in range(seats)]


def main() -> None:
    """Print both tables: the data of `budget.py`, and what may be offered."""
    rows = []
    for slug, entry in GAMES.items():
        meta = entry.rules.meta
        for seats in range(meta.min_seats, meta.max_seats + 1):
            for pace in ("table", "sealed") if entry.sealed_pace else ("table",):
                rows.append(measure(slug, seats, pace))
                print(".", end="", file=sys.stderr, flush=True)
    print('"""Budgets in hours within which 99 % of fixtures finish, by `tests.simulation.budgets`."""')
    print("\nfrom __future__ import annotations\n\nNEEDED_HOURS: dict[tuple[str, int, bool], int] = {")
    for row in rows:
        print(f'    ("{row.game}", {row.seats}, {row.pace == "sealed"}): {row.hours},')
    print('}\n"""By game, seats, and whether orders are sealed."""\n')
    print(
        "| game | seats | pace | decisions of a seat | table waits | budget, days | season from, days |",
        end="",
    )
    print(" finish in 28 days |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        fits = [days for days in SEASON_DAYS if bank_for(days, row.seats).total_seconds() / 3600 >= row.hours]
        print(
            f"| {row.game} | {row.seats} | {row.pace} | {row.decisions:.0f} | {row.waits:.0f} |"
            f" {row.hours / 24:.1f} | {min(fits, default='none')} | {row.in_a_month:.1%} |"
        )


def _run(course: Course) -> None:
    for _ in course.run():
        pass


def _answer(course: Course, seat: int, people: Chance) -> None:
    """Play a random move, or place an order of random moves where a contest collects orders."""
    if course.contest:
        course.place(seat, bots.choose_order("random", course.game, course.state, seat, people))
    else:
        course.play(seat, course.game.rules.random_move(course.state, seat, people))


if __name__ == "__main__":
    main()
