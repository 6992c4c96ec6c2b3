"""Computer players for every game, built on the contract alone.

They are handed a position but look only at what their own seat may know: everything else is redrawn first. They are
bounded by simulations, not by time, so that the same chance gives the same move on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, TypeAlias

from games.chance import Chance
from games.contract import Game, Rules, Seat
from games.orders import Orders
from games.plies import follow

AnyRules: TypeAlias = Rules[Any, Any, Any]

LEVELS = ("random", "easy", "normal")

MOST_CANDIDATES = 48
"""With more legal moves than this, the default move and a sample of the others are considered."""
_MARGIN = 10
"""A lead of this many points counts half of what a lead without end would count."""


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
            return choose_by_evaluation(game, known, seat, chance)
        case "normal" if not _are_playouts_worth_it(game, known):
            return choose_by_evaluation(game, known, seat, chance)
        case "normal":
            budget = game.simulations if simulations is None else simulations
            return choose_by_playouts(game, known, seat, chance, budget)
        case _:
            raise ValueError(f"no bot plays at level {level!r}")


def _are_playouts_worth_it(game: Game, state: Any) -> bool:
    most = game.most_seats_for_playouts
    return most is None or len(game.rules.standing(state)) <= most


def choose_order(
    level: str, game: Game, state: Any, seat: Seat, chance: Chance, simulations: int | None = None
) -> Orders:
    """A sealed order for the contest that is open; the seat is one of its choosers.

    The contest is imagined at the table, the others playing at random; what the bot would play there, one line for
    each time it is to act, is its order.
    """
    assert game.sealed_pace is not None
    rules = game.rules
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
            move = rules.random_move(state, turn, chance)
        return rules.apply(state, turn, move, chance).state

    for reached in follow(rules, state, imagine):
        if rules.context(reached) != context or not rules.bidders(reached):
            break
    if not lines:  # the others left it nothing to decide
        lines.append((rules.write(choose(level, game, met, seat, chance, simulations)),))
    return Orders(tuple(lines))


def list_candidates(rules: AnyRules, state: Any, seat: Seat, chance: Chance) -> list[Any]:
    """All legal moves when they are few, else the default move and a random sample."""
    moves = list(islice(rules.legal_moves(state, seat), MOST_CANDIDATES + 1))
    if len(moves) <= MOST_CANDIDATES:
        return moves
    sample = dict.fromkeys([rules.default_move(state, seat)])
    for _ in range(2 * MOST_CANDIDATES):
        if len(sample) == MOST_CANDIDATES:
            break
        sample[rules.random_move(state, seat, chance)] = None
    return list(sample)


def suggest_few(
    game: Game, state: Any, seat: Seat, chance: Chance, number: int, longest: int = 1000
) -> list[str]:
    """Moves that look good at once to a seat that knows no more than it may, in the order of their notation.

    So nobody learns which of them a computer player holds for the best. They play different pieces, as far as there
    are good ones: three ways to turn one card are less help. Their texts have at most `longest` signs.
    """
    rules = game.rules
    known = rules.resample(state, seat, chance)
    suggested = [rules.write(move) for move in game.suggest(known, seat)] if game.suggest else []
    texts = [text for text in suggested if len(text) <= longest]
    if len({tuple(text.split()[:2]) for text in texts}) < number:
        values = {
            rules.write(move): judge(game, rules.apply(known, seat, move, chance).state, seat)
            for move in list_candidates(rules, known, seat, chance)
        }
        ranked = sorted(values, key=values.__getitem__, reverse=True)
        texts += [text for text in ranked if len(text) <= longest and text not in texts]
    return sorted(_varied(texts)[:number])


def _varied(texts: Sequence[str]) -> list[str]:
    """The texts with the first of each verb and piece before all others."""
    firsts = {tuple(text.split()[:2]): text for text in reversed(texts)}
    return [
        *filter({*firsts.values()}.__contains__, texts),
        *(text for text in texts if text not in firsts.values()),
    ]


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


def choose_by_playouts(game: Game, state: Any, seat: Seat, chance: Chance, simulations: int) -> Any:
    """The candidate that does best in playouts of redrawn positions, by sequential halving.

    All candidates are tried in the same redrawn positions, so that luck of the draw does not decide between them;
    after each round the worse half is dropped.
    """
    rules = game.rules
    candidates = _shorten(game, state, seat, chance)
    begun = find_stage(game, state)
    totals = dict.fromkeys(candidates, 0.0)
    rounds = max(1, (len(candidates) - 1).bit_length())
    while len(candidates) > 1:
        worlds = max(1, simulations // (rounds * len(candidates)))
        for _ in range(worlds):
            world = _imagine(game, state, seat, chance)
            for move in candidates:
                after = rules.apply(world, seat, move, chance).state
                totals[move] += judge(game, play_out(game, after, chance, begun), seat)
        candidates.sort(key=totals.__getitem__, reverse=True)
        candidates = candidates[: (len(candidates) + 1) // 2]
    return candidates[0]


def _shorten(game: Game, state: Any, seat: Seat, chance: Chance) -> list[Any]:
    """The moves that look best at once, the best first; as many as the game asks for."""
    if game.suggest:
        return list(game.suggest(state, seat)[: game.shortlist])
    moves = list_candidates(game.rules, state, seat, chance)
    if game.shortlist is None or len(moves) <= game.shortlist:
        return moves
    values = [judge(game, game.rules.apply(state, seat, move, chance).state, seat) for move in moves]
    ranked = sorted(range(len(moves)), key=lambda place: -values[place])
    return [moves[place] for place in ranked[: game.shortlist]]


def _imagine(game: Game, state: Any, seat: Seat, chance: Chance) -> Any:
    """The position with everything redrawn that the seat cannot know, and with likely sealed picks."""
    rules = game.rules
    world = rules.resample(state, seat, chance)
    if game.suggest and rules.meta.has_sealed_picks:
        for other in sorted(rules.bidders(world) - rules.waiting_on(world) - {seat}):
            if moves := game.suggest(world, other):
                world = rules.apply(world, other, moves[0], chance).state
    return world


def find_stage(game: Game, state: Any) -> int:
    """The part of the match that this position belongs to; 0 for all where the game names no stages."""
    return game.stage(state) if game.stage else 0


def play_out(game: Game, state: Any, chance: Chance, begun: int) -> Any:
    """The position after quickly chosen moves to the end of the stage `begun`, or to the game's horizon."""
    moves = follow(game.rules, state, lambda state, seat: _move_quickly(game, state, seat, chance))
    reached = state
    for reached in chain([state], islice(moves, game.horizon)):
        if find_stage(game, reached) != begun:
            break
    return reached


def _move_quickly(game: Game, state: Any, seat: Seat, chance: Chance) -> Any:
    """The position after the move that the game suggests first, else after a random one or the best of a few."""
    rules = game.rules
    if game.suggest:
        return rules.apply(state, seat, game.suggest(state, seat)[0], chance).state
    if game.breadth == 1:
        return rules.apply(state, seat, rules.random_move(state, seat, chance), chance).state
    moves = dict.fromkeys([rules.default_move(state, seat)])
    moves.update(dict.fromkeys([rules.random_move(state, seat, chance) for _ in range(game.breadth - 1)]))
    reached = [rules.apply(state, seat, move, chance).state for move in moves]
    return reached[0] if len(reached) == 1 else max(reached, key=lambda after: judge(game, after, seat))


def judge(game: Game, state: Any, seat: Seat) -> float:
    """How good this is for the seat, 0 to 1: by the game's evaluation while the match runs, if it has one.

    Else as if the match ended here: the share of the others who are beaten, and the lead.
    """
    rules, evaluate = game.rules, game.evaluate
    if evaluate is not None and rules.waiting_on(state):
        return _squash(evaluate(state, seat))
    scores, ranks = rules.standing(state), rules.ranks(state)
    others = [other for other in range(len(scores)) if other != seat]
    beaten = sum(
        [1.0 if ranks[other] > ranks[seat] else 0.5 * (ranks[other] == ranks[seat]) for other in others]
    )
    lead = scores[seat] - max([scores[other] for other in others])
    return 0.7 * beaten / len(others) + 0.3 * _squash(lead)


def _squash(points: float) -> float:
    return 0.5 + 0.5 * points / (abs(points) + _MARGIN)
