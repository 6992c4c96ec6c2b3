"""Measures if ratings predict: log-loss against plain Elo and against taking all for equal. Figures, no judgement.

Players are simulated, or are the computer players with their real matches. Before each match every pair of its players
is predicted, then the match is rated; the loss of a pair is minus the logarithm of the chance that was given to what
happened, a shared place half each way. Taking all for equal loses log 2 = 0.693; less is better.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

from games import bots, plies
from games.chance import Chance
from games.ratings import NEWCOMER, SETTLED, Belief, Board, Result, expect
from games.record_headers import read_options
from games.registry import game

Match = Sequence[tuple[int, int]]
"""The players of a match, each with the place that it took."""

NOISE = 25 / 6
"""Standard deviation of what a simulated player does in one match, about a strength of mean 25."""
PLAYERS = 100
ROUNDS = 20
"""Matches of each simulated player that are predicted."""
MOST_ROUNDS = 60
"""Matches after which the ratings of simulated players have surely settled."""
SHARED = 0.25
"""Share of the neighbours in a simulated ranking that take one place."""
WORLDS = {"much skill": 25 / 3, "some skill": 25 / 6, "little skill": 25 / 12}
"""Standard deviation of the strengths of simulated players."""
ENTRANTS = (("random", 1), ("random", 1), ("easy", 1), ("easy", 1), ("normal", 16), ("hard", 64))
"""The computer players that play each other: level and simulations."""


def measure_bots(slug: str, matches: int) -> tuple[int, Losses]:
    """Let the computer players play each other, and predict their matches; return the seats and the losses."""
    seats = min(4, game(slug).rules.meta.max_seats)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return seats, measure_losses(list(pool.map(partial(play_bots, slug, seats), range(matches))))


def measure_simulated(world: str, seats: int) -> Losses:
    """Predict matches of simulated players."""
    strengths = draw_strengths(WORLDS[world], world)
    return measure_losses(list(simulate(strengths, seats, PLAYERS * ROUNDS // seats, world)))


def find_settled(world: str, seats: int) -> Settling:
    """Figures of simulated players once the rating of half of them is provisional no more."""
    rounds = measure_settling(seats, WORLDS[world], MOST_ROUNDS)
    return next(each for each in rounds if each.sigma < SETTLED)


@dataclass
class Elo:
    """Plain Elo: a match of several is a game of each pair, for a share of the usual step."""

    step: float = 32.0
    ratings: dict[int, float] = field(default_factory=dict)

    def expect(self, one: int, other: int) -> float:
        """The chance that one player comes before the other."""
        ahead = self.ratings.get(one, 1500.0) - self.ratings.get(other, 1500.0)
        return 1 / (1 + 10 ** (-ahead / 400))

    def add(self, match: Match) -> None:
        """Rate the next match."""
        gains = dict.fromkeys((player for player, _ in match), 0.0)
        for (one, place), (other, behind) in combinations(match, 2):
            gain = self.step / (len(match) - 1) * (_score(place, behind) - self.expect(one, other))
            gains[one] += gain
            gains[other] -= gain
        for player, gain in gains.items():
            self.ratings[player] = self.ratings.get(player, 1500.0) + gain


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean loss of a predicted pair."""

    pairs: int
    ours: float
    elo: float
    equal: float = math.log(2)


def measure_losses(matches: Sequence[Match]) -> Losses:
    """Predict and rate the matches in order."""
    board: Board[int] = Board()
    elo = Elo()
    ours, theirs = [], []
    for match in matches:
        table = [board.beliefs.get(player, NEWCOMER) for player, _ in match]
        for one, other in combinations(range(len(match)), 2):
            score = _score(match[one][1], match[other][1])
            ours.append(_loss(score, expect(table, one, other)))
            theirs.append(_loss(score, elo.expect(match[one][0], match[other][0])))
        board.add([Result(player, place) for player, place in match])
        elo.add(match)
    return Losses(len(ours), math.fsum(ours) / len(ours), math.fsum(theirs) / len(theirs))


def _score(place: int, behind: int) -> float:
    return 0.5 if place == behind else float(place < behind)


def _loss(score: float, chance: float) -> float:
    chance = min(max(chance, 1e-12), 1 - 1e-12)
    return -(score * math.log(chance) + (1 - score) * math.log(1 - chance))


def draw_strengths(spread: float, seed: str, players: int = PLAYERS) -> list[float]:
    """The strengths of simulated players."""
    source = random.Random(f"strengths {seed}")
    return [source.gauss(25, spread) for _ in range(players)]


def simulate(strengths: Sequence[float], seats: int, matches: int, seed: str) -> Iterator[Match]:
    """Yield matches of players drawn by lot; some neighbours in a ranking share a place."""
    source = random.Random(f"matches {seed}")
    for _ in range(matches):
        players = source.sample(range(len(strengths)), seats)
        done = sorted(((source.gauss(strengths[player], NOISE), player) for player in players), reverse=True)
        placed: list[tuple[int, int]] = []
        for position, (_, player) in enumerate(done, start=1):
            is_shared = placed and source.random() < SHARED
            placed.append((player, placed[-1][1] if is_shared else position))
        yield placed


def play_bots(slug: str, seats: int, number: int) -> Match:
    """Play one match of computer players, drawn by lot."""
    entry = game(slug)
    rules = entry.rules
    players = random.Random(f"entrants {slug} {number}").sample(range(len(ENTRANTS)), seats)
    state = plies.deal(rules, seats, read_options(rules.meta, "", seats), f"ratings {number}")
    chance = Chance(f"ratings {number}", "bots")

    def think(state: object, seat: int) -> object:
        level, simulations = ENTRANTS[players[seat]]
        move = bots.choose(level, entry, state, seat, chance, simulations)
        return rules.apply(state, seat, move, chance).state

    *_, state = plies.follow(rules, state, think)
    return list(zip(players, rules.ranks(state), strict=True))


@dataclass(frozen=True, slots=True)
class Settling:
    """Figures of simulated players after so many matches of each."""

    matches: int
    sigma: float
    """Median."""
    error: float
    """Root of the mean square of mu less the true strength, its own mean left out."""
    wrong: float
    """Share of the pairs that stand in the wrong order."""


def measure_settling(seats: int, spread: float, rounds: int) -> list[Settling]:
    """Let everybody play so many matches, and tell after each round what is known."""
    strengths = draw_strengths(spread, "settling", PLAYERS // seats * seats)
    source = random.Random("rounds settling")
    board: Board[int] = Board()
    found = []
    for number in range(1, rounds + 1):
        order = source.sample(range(len(strengths)), len(strengths))
        for start in range(0, len(order), seats):
            table = order[start : start + seats]
            theirs = [strengths[player] for player in table]
            places = next(iter(simulate(theirs, seats, 1, f"settling {number} {start}")))
            board.add([Result(table[player], place) for player, place in places])
        found.append(_describe(number, strengths, board.beliefs))
    return found


def _describe(number: int, strengths: Sequence[float], beliefs: dict[int, Belief]) -> Settling:
    sigmas = sorted(belief.sigma for belief in beliefs.values())
    gaps = [beliefs[player].mu - strength for player, strength in enumerate(strengths)]
    mean = math.fsum(gaps) / len(gaps)
    pairs = list(combinations(range(len(strengths)), 2))
    wrong = sum(
        (beliefs[one].mu - beliefs[other].mu) * (strengths[one] - strengths[other]) < 0
        for one, other in pairs
    )
    error = math.sqrt(math.fsum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    return Settling(number, sigmas[len(sigmas) // 2], error, wrong / len(pairs))
