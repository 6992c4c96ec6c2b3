"""Looks ahead for a plan: imagines the turn that it is for, and finds its moves that cannot become legal.

The plan is stored all the same, and its player is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from games.chance import Chance
from games.contract import Game, GameError, IllegalMove, Seat
from games.course import Plan
from games.plies import follow

OTHER_CONTEST = "other-contest"
MOST_PLIES = 40
"""Moves of others before a turn that is imagined."""


def imagine_turn(game: Game, state: Any, seat: Seat, chance: Chance) -> Any:
    """A position in which the seat is asked next, as it may come about from what the seat may know.

    In a contest that can be sealed it is the soonest and the cheapest, else the others play at random. None if the
    seat is not asked within `MOST_PLIES` moves.
    """
    rules = game.rules

    def advance(state: Any, other: Seat) -> Any:
        return rules.apply(state, other, rules.random_move(state, other, chance), chance).state

    known = rules.resample(state, seat, chance)
    if game.sealed_pace and seat in rules.bidders(known):
        met = game.sealed_pace.at_turn(known, seat)
        if met is not None:
            return met
    coming = chain([known], islice(follow(rules, known, advance), MOST_PLIES))
    return next((reached for reached in coming if seat in rules.waiting_on(reached)), None)


@dataclass(frozen=True, slots=True)
class Doubt:
    """An alternative of a plan, in notation, with the refusal that it will meet."""

    text: str
    error: GameError


def other_contest() -> IllegalMove:
    """The refusal of a move of another kind than the contest that goes on asks for."""
    return IllegalMove(OTHER_CONTEST, "This cannot come up before the plan ends.")


def find_doubts(game: Game, state: Any, seat: Seat, plan: Plan) -> list[Doubt]:
    """List the alternatives, in lines still to be played, that cannot become legal whatever the others do.

    >>> from games.match import Match
    >>> from games.orders import read_orders
    >>> match = Match.new("gem", seats=3, seed="example")
    >>> plan = Plan(read_orders(match.game, match.state, 1, "bid 99 else pass; bid 3"), match.context)
    >>> [(doubt.text, doubt.error.code) for doubt in find_doubts(match.game, match.state, 1, plan)]
    [('bid 99', 'too-high')]
    """
    orders, context = plan.orders, game.rules.context(state)
    if orders.is_used_up or (not orders.is_always and plan.context not in (None, context)):
        return []
    doubts = []
    for place, line in enumerate(orders.ahead.lines):
        for text in line:
            error = _doubt(game, state, seat, text, place) or _never_reached(plan, place)
            if error and not (orders.is_always and error.code == OTHER_CONTEST):
                doubts.append(Doubt(text, error))
    return list({doubt.text: doubt for doubt in reversed(doubts)}.values())[::-1]


def _doubt(game: Game, state: Any, seat: Seat, text: str, place: int) -> IllegalMove | None:
    if game.foresee is None:
        return None
    read = game.read_later or game.rules.parse
    try:
        return game.foresee(state, seat, read(state, seat, text), place == 0)
    except GameError:
        return None


def _never_reached(plan: Plan, place: int) -> IllegalMove | None:
    if plan.context is None and place and not plan.orders.is_always:
        return IllegalMove(
            "one-turn",
            "A plan holds for one turn here, so that only its first line counts. Write the rest then.",
        )
    return None
