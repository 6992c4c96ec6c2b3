"""Random matches that many tests look at; each is played once and kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import Any

import pytest

from games.chance import NO_SEED, Chance
from games.contract import Event, Game, Rules, Seat
from games.registry import GAMES, game

AnyRules = Rules[Any, Any, Any]

MOST_VALUES = 2
"""Of an option with many values, this many others than the default are played."""
MOST_LISTED = 300
"""Positions with more legal moves than this are not compared move by move."""


@dataclass(frozen=True)
class Case:
    """One way to set up a game."""

    slug: str
    seats: int
    options: tuple[tuple[str, str], ...]
    seed: str

    @property
    def game(self) -> Game:
        return game(self.slug)

    @property
    def rules(self) -> AnyRules:
        return game(self.slug).rules

    def __str__(self) -> str:
        options = "".join(f"-{name}={value}" for name, value in self.options)
        return f"{self.slug}-{self.seats}{options}"


@dataclass(frozen=True)
class Played:
    """One ply: the position before, what was played, the position after and what happened."""

    ply: int
    before: Any
    seat: Seat
    move: Any
    chance: tuple[str, str]
    after: Any
    events: tuple[Event, ...]


def list_cases() -> list[Case]:
    """Every game with every number of seats; with the fewest and most seats, values of every option."""
    cases = []
    for slug, entry in GAMES.items():
        meta = entry.rules.meta
        for seats in range(meta.min_seats, meta.max_seats + 1):
            defaults = {option.name: option.values_for(seats)[0] for option in meta.options}
            cases.append(_make_case(slug, seats, defaults))
            if seats in (meta.min_seats, meta.max_seats):
                for option in meta.options:
                    for value in option.values_for(seats)[1:][-MOST_VALUES:]:
                        cases.append(_make_case(slug, seats, defaults | {option.name: value}))
    return cases


def _make_case(slug: str, seats: int, options: dict[str, str]) -> Case:
    chosen = tuple(sorted(options.items()))
    return Case(slug, seats, chosen, sha256(f"{slug} {seats} {chosen}".encode()).hexdigest())


CASES = list_cases()

each_case = pytest.mark.parametrize("case", CASES, ids=str)
each_game = pytest.mark.parametrize("slug", GAMES)


def deal(case: Case) -> Any:
    """The first position of the case."""
    return case.rules.deal(seats=case.seats, options=dict(case.options), chance=Chance(case.seed, "deal"))


@lru_cache(maxsize=64)
def play_match(case: Case) -> tuple[Played, ...]:
    """A whole random match; where a seat may still change a sealed pick, it sometimes does."""
    return tuple(_play(case))


def _play(case: Case) -> Iterator[Played]:
    rules = case.rules
    dice = Chance(case.seed, "random players")
    state = deal(case)
    ply = 0
    limit = 4 * rules.meta.max_plies
    while (waiting := sorted(rules.waiting_on(state))) and ply < limit:
        seats = waiting
        if dice.below(4) == 0:
            seats = waiting + [seat for seat in range(case.seats) if may_change(rules, state, seat)]
        seat = seats[dice.below(len(seats))]
        move = rules.random_move(state, seat, dice)
        ply += 1
        label = (case.seed, f"ply {ply}")
        step = rules.apply(state, seat, move, Chance(*label))
        yield Played(ply, state, seat, move, label, step.state, step.events)
        state = step.state


def play_texts(rules: AnyRules, state: Any, texts: Iterable[str]) -> tuple[Any, list[Event]]:
    """The position after these moves, each by the seat whose turn it is, and everything that happened."""
    events: list[Event] = []
    for text in texts:
        move = rules.parse(state, state.turn, text)
        step = rules.apply(state, state.turn, move, Chance(NO_SEED, "ply 1"))
        state = step.state
        events += step.events
    return state, events


def count_sequences(rules: AnyRules, state: Any, depth: int) -> int:
    """How many sequences of `depth` legal moves begin here."""
    if depth == 0:
        return 1
    total = 0
    for seat in rules.waiting_on(state):
        for move in rules.legal_moves(state, seat):
            step = rules.apply(state, seat, move, Chance(NO_SEED, "ply 1"))
            total += count_sequences(rules, step.state, depth - 1)
    return total


def may_change(rules: AnyRules, state: Any, seat: Seat) -> bool:
    """Whether the seat is not waited for but may still change its sealed pick."""
    return seat not in rules.waiting_on(state) and next(rules.legal_moves(state, seat), None) is not None


def list_moves(rules: AnyRules, state: Any, seat: Seat) -> list[Any] | None:
    """The seat's legal moves; None when there are too many to compare."""
    moves = list(islice(rules.legal_moves(state, seat), MOST_LISTED + 1))
    return moves if len(moves) <= MOST_LISTED else None


def list_positions(case: Case) -> list[Any]:
    """Every position of the random match, the last one included."""
    match = play_match(case)
    return [played.before for played in match] + [match[-1].after]
