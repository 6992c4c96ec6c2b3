"""Random matches that many tests look at; each is played once and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import Any

from games import plies
from games.chance import Chance
from games.contract import Event, Game, Rules, Seat
from games.registry import GAMES, game
from games.testing.answers import MOST_LISTED, expect_a_small_position, expect_answers
from games.testing.patience import NoAnswer, expect_an_answer

AnyRules = Rules[Any, Any, Any]

MOST_VALUES = 2
"""The number of values beside the default that are played of an option with many."""


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
    is_sealed: bool


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


def deal(case: Case) -> Any:
    """The first position of the case."""
    return plies.deal(case.rules, case.seats, dict(case.options), case.seed)


def play_match(case: Case) -> tuple[Played, ...]:
    """Play a whole random match; a seat that may still change a sealed pick sometimes does."""
    match = _play_once(case)
    if isinstance(match, AssertionError):
        raise match
    return match


@lru_cache(maxsize=64)
def _play_once(case: Case) -> tuple[Played, ...] | AssertionError:
    """The match, or what is wrong with it: no other test waits for a game that takes too long."""
    try:
        match = tuple(_play(case))
        _expect_no_patience(case, match)
        return match
    except AssertionError as error:
        return error


def _expect_no_patience(case: Case, match: Sequence[Played]) -> None:
    """Look for what would keep all other tests waiting, at the beginning, in the middle and at the end."""
    for played in match[:: max(1, (len(match) - 1) // 2)]:
        expect_a_small_position(played.before)
        try:
            expect_answers(case.game, case.seats, played.before, played.seat, played.chance)
        except NoAnswer:
            raise
        except Exception:  # what a function raises is said by the test that is about it
            return


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
        with expect_an_answer("random_move"):
            move = rules.random_move(state, seat, dice)
        ply += 1
        with expect_an_answer("apply"):
            step = plies.play(rules, state, seat, move, case.seed, ply)
        yield Played(ply, state, seat, move, (case.seed, f"ply {ply}"), step.state, step.events, step.sealed)
        state = step.state


def may_change(rules: AnyRules, state: Any, seat: Seat) -> bool:
    """Return whether the seat is not waited for but may still change its sealed pick."""
    return seat not in rules.waiting_on(state) and next(rules.legal_moves(state, seat), None) is not None


def list_moves(rules: AnyRules, state: Any, seat: Seat) -> list[Any] | None:
    """The seat's legal moves; None when there are too many to compare."""
    moves = list(islice(rules.legal_moves(state, seat), MOST_LISTED + 1))
    return moves if len(moves) <= MOST_LISTED else None


def list_positions(case: Case) -> list[Any]:
    """Every position of the random match, the last one included."""
    match = play_match(case)
    return [played.before for played in match] + [match[-1].after]
