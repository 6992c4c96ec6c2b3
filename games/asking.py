"""Counts how often people are asked in a match: in turn, with plans, and at sealed pace. Figures, no judgement."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from games import bots, plies
from games.chance import Chance
from games.contract import Game, IllegalMove, Seat
from games.course import Course, Plan
from games.orders import Orders
from games.record_headers import read_options
from games.registry import game

SEATS = {"jewellers": 4}
"""The number of seats with which a game is measured, where that is not 3."""

Answer = Callable[[Course, Seat, Chance], None]
"""Answers for a person who is asked: by a move, an order, or a plan."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Figures for one way to play.

    `prompts` are those that need a person; `waits` counts how often the table waits, once for all that are asked
    together.
    """

    prompts: float
    waits: float


@dataclass(frozen=True, slots=True)
class Askings:
    """Means over random matches; `sealed` is None for a game without that pace."""

    slug: str
    seats: int
    plies: float
    table: Asking
    plans: Asking
    sealed: Asking | None


def measure_asking(slug: str, matches: int) -> Askings:
    """Let random people answer whenever they are asked; the same deals are played each way."""
    entry = game(slug)
    seats = min(max(SEATS.get(slug, 3), entry.rules.meta.min_seats), entry.rules.meta.max_seats)
    plies, table = _measure(entry, seats, matches, "table", _play_move)
    _, plans = _measure(entry, seats, matches, "table", _write_plan)
    sealed = _measure(entry, seats, matches, "sealed", _play_move)[1] if entry.sealed_pace else None
    return Askings(slug, seats, plies, table, plans, sealed)


def _measure(entry: Game, seats: int, matches: int, pace: str, answer: Answer) -> tuple[float, Asking]:
    played = [_play(entry, seats, number, pace, answer) for number in range(matches)]
    plies, prompts, waits = (statistics.mean(figures) for figures in zip(*played, strict=True))
    return plies, Asking(prompts, waits)


def _play(entry: Game, seats: int, number: int, pace: str, answer: Answer) -> tuple[int, int, int]:
    """Play a match; return its plies, the prompts that needed a person, and how often the table waited."""
    seed = f"asking {entry.rules.meta.slug} {number}"
    options = read_options(entry.rules.meta, f"pace={pace}" if entry.sealed_pace else "", seats)
    state = plies.deal(entry.rules, seats, options, seed)
    is_sealed = pace == "sealed"
    course = Course(entry, state, 0, is_sealed, seed)
    people = Chance(seed, "people")
    prompts = waits = 0
    _run(course)
    while waiting := course.asked:
        waits += 1
        for seat in sorted(waiting):
            prompts += 1
            answer(course, seat, people)
            _run(course)
    return course.ply, prompts, waits


def _run(course: Course) -> None:
    for _ in course.run():
        pass


def _play_move(course: Course, seat: Seat, chance: Chance) -> None:
    """Play a random move, or place an order of random moves where a contest collects orders."""
    if course.contest:
        course.place(seat, bots.choose_order("random", course.game, course.state, seat, chance))
    else:
        course.play(seat, course.game.rules.random_move(course.state, seat, chance))


def _write_plan(course: Course, seat: Seat, chance: Chance) -> None:
    """Store a plan for the rest of the contest, as the seat imagines it; play one move where no plan is possible."""
    rules = course.game.rules
    lines = imagine_lines(course, seat, chance)
    try:
        course.store(seat, Plan(Orders(lines), rules.context(course.state)))
    except IllegalMove:
        course.play(seat, rules.random_move(course.state, seat, chance))


def imagine_lines(course: Course, seat: Seat, chance: Chance) -> tuple[tuple[str, ...], ...]:
    """Imagine the seat's moves until the contest is over, each with the default move as its second alternative.

    The others play at random. Where there is no contest, and where picks lie face down, there is one line.
    """
    rules = course.game.rules
    context = rules.context(course.state)
    state = rules.resample(course.state, seat, chance)
    lines: list[tuple[str, ...]] = []
    while rules.context(state) == context and rules.waiting_on(state):
        if forced := rules.forced_move(state):
            state = rules.apply(state, *forced, chance).state
            continue
        turn = seat if seat in rules.waiting_on(state) else min(rules.waiting_on(state))
        move = rules.random_move(state, turn, chance)
        if turn == seat:
            texts = rules.write(move), rules.write(rules.default_move(state, seat))
            lines.append(tuple(dict.fromkeys(texts)))
        state = rules.apply(state, turn, move, chance).state
        if context is None or rules.meta.has_sealed_picks:
            break
    return tuple(lines)
