"""Imagines how a match may go on: positions redrawn, played on by quick players, and judged.

What the search (`games.search`) and the levels of computer players (`games.bots`) have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, TypeAlias

from games.chance import Chance
from games.contract import Game, Rules, Seat
from games.plies import follow

AnyRules: TypeAlias = Rules[Any, Any, Any]

MOST_CANDIDATES = 48
"""With more legal moves than this, the default move and a sample of the others are considered."""
FEW = 3
"""A quick player of a game with an evaluation but no policy takes the best of so many moves."""
_MARGIN = 10
"""A lead of this many points counts half of what a lead without end would count."""


def judge(game: Game, state: Any, seat: Seat) -> float:
    """Judge the position for the seat, 0 to 1: by the game's evaluation while the match runs, if it has one.

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


def list_promising(game: Game, state: Any, seat: Seat, chance: Chance) -> list[Any]:
    """The moves worth comparing: the policy's move first, then what the game suggests or what looks best at once."""
    first = [game.policy(state, seat, chance)] if game.policy else []
    if game.suggest:
        moves: Sequence[Any] = game.suggest(state, seat)
    else:
        moves = list_candidates(game.rules, state, seat, chance)
        if game.shortlist is not None and len(moves) > game.shortlist:
            values = [judge(game, game.rules.apply(state, seat, move, chance).state, seat) for move in moves]
            moves = [moves[place] for place in sorted(range(len(moves)), key=lambda place: -values[place])]
    return list(dict.fromkeys([*first, *moves]))[: game.shortlist]


def move_quickly(game: Game, state: Any, seat: Seat, chance: Chance) -> Any:
    """The move of a quick player: the policy's, or the first that the game suggests, or the best of a few."""
    rules = game.rules
    if game.policy:
        return game.policy(state, seat, chance)
    if game.suggest:
        return game.suggest(state, seat)[0]
    if game.evaluate is None:
        return rules.random_move(state, seat, chance)
    moves = dict.fromkeys([rules.default_move(state, seat)])
    moves.update(dict.fromkeys([rules.random_move(state, seat, chance) for _ in range(FEW - 1)]))
    return max(moves, key=lambda move: judge(game, rules.apply(state, seat, move, chance).state, seat))


def imagine(game: Game, state: Any, seat: Seat, chance: Chance) -> Any:
    """The position with everything redrawn that the seat cannot know, and with likely sealed picks."""
    rules = game.rules
    world = rules.resample(state, seat, chance)
    if rules.meta.has_sealed_picks and (game.policy or game.suggest):
        for other in sorted(rules.bidders(world) - rules.waiting_on(world) - {seat}):
            if next(rules.legal_moves(world, other), None) is not None:
                move = move_quickly(game, world, other, chance)
                world = rules.apply(world, other, move, chance).state
    return world


def find_stage(game: Game, state: Any) -> int:
    """The part of the match that this position belongs to; 0 for all where the game names no stages."""
    return game.stage(state) if game.stage else 0


def play_out(game: Game, state: Any, chance: Chance, begun: int) -> Any:
    """The position after quickly chosen moves to the end of the stage `begun`, or to the game's horizon."""

    def advance(state: Any, seat: Seat) -> Any:
        move = _move_on(game, state, seat, chance)
        return game.rules.apply(state, seat, move, chance).state

    reached, plies = state, game.horizon
    if plies is not None:
        plies = max(plies, len(game.rules.standing(state)) - 1)
    for reached in chain([state], islice(follow(game.rules, state, advance), plies)):
        if find_stage(game, reached) != begun:
            break
    return reached


def _move_on(game: Game, state: Any, seat: Seat, chance: Chance) -> Any:
    """A quick player's move, now and then a random one where the game asks for that."""
    if game.strays is not None and not chance.below(game.strays):
        return game.rules.random_move(state, seat, chance)
    return move_quickly(game, state, seat, chance)
