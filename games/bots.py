"""Computer players for every game, built on the contract alone.

They are handed a position but look only at what their own seat may know: everything else is redrawn first. They are
bounded by simulations, not by time, so that the same chance gives the same move on every machine.
"""

from __future__ import annotations

from typing import Any

from games.chance import Chance
from games.contract import Game, Seat
from games.open_search import search_open
from games.orders import Orders
from games.playouts import judge, list_candidates, move_quickly
from games.plies import follow
from games.search import search

LEVELS = ("random", "easy", "normal", "hard")

_LAPSE = 4
"""One move in so many, an easy player takes the better of two random ones."""


def choose(
    level: str, game: Game, state: Any, seat: Seat, chance: Chance, simulations: int | None = None
) -> Any:
    """A legal move for a seat that is to act; `level` is one of LEVELS.

    `simulations` replaces the number that the game asks for.
    """
    known = game.rules.resample(state, seat, chance)
    match level:
        case "random":
            return game.rules.random_move(known, seat, chance)
        case "easy":
            return choose_easily(game, known, seat, chance)
        case "normal" | "hard":
            budget = count_simulations(game, state, level) if simulations is None else simulations
            if level == "hard" and game.is_open and game.is_open(known):
                return search_open(game, known, seat, chance, budget)
            return search(game, known, seat, chance, budget, is_deep=level == "hard")
        case _:
            raise ValueError(f"no bot plays at level {level!r}")


def count_simulations(game: Game, state: Any, level: str) -> int:
    """The simulations for one move: with more seats than two fewer, as each of them takes longer."""
    budget = game.deep_simulations if level == "hard" else game.simulations
    return max(1, 2 * budget // len(game.rules.standing(state)))


def choose_easily(game: Game, state: Any, seat: Seat, chance: Chance) -> Any:
    """The policy's move, with lapses; in a game without a policy what looks best at once."""
    if game.policy is None:
        return choose_by_evaluation(game, state, seat, chance)
    if chance.below(_LAPSE):
        return game.policy(state, seat, chance)
    rules = game.rules
    moves = [rules.random_move(state, seat, chance) for _ in range(2)]
    return max(moves, key=lambda move: judge(game, rules.apply(state, seat, move, chance).state, seat))


def choose_by_evaluation(game: Game, state: Any, seat: Seat, chance: Chance) -> Any:
    """The candidate after which the game's own evaluation, or else the standing, is best for the seat."""
    rules = game.rules
    best, best_value = None, float("-inf")
    for move in list_candidates(rules, state, seat, chance):
        after = rules.apply(state, seat, move, chance).state
        value = judge(game, after, seat)
        if value > best_value:
            best, best_value = move, value
    return best


def choose_order(
    level: str, game: Game, state: Any, seat: Seat, chance: Chance, simulations: int | None = None
) -> Orders:
    """A sealed order for the contest that is open; the seat is one of its choosers.

    The contest is imagined at the table, the others moving quickly; what the bot would play there, one line for each
    time it is to act, is its order.
    """
    assert game.sealed_pace is not None
    rules = game.rules
    state = rules.resample(state, seat, chance)
    context = rules.context(state)
    met = game.sealed_pace.at_turn(state, seat)
    lines: list[tuple[str, ...]] = []

    def imagine(state: Any, turn: Seat) -> Any:
        if forced := rules.forced_move(state):
            turn, move = forced
        elif turn == seat:
            move = choose(level, game, state, seat, chance, simulations)
            lines.append((rules.write(move),))
        else:
            move = move_quickly(game, state, turn, chance)
        return rules.apply(state, turn, move, chance).state

    for reached in follow(rules, state, imagine):
        if rules.context(reached) != context or not rules.bidders(reached):
            break
    if not lines:  # the others left it nothing to decide
        lines.append((rules.write(choose(level, game, met, seat, chance, simulations)),))
    return Orders(tuple(lines))
