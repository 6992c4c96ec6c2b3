"""Deals a match and plays its plies, each with its own chance.

Everything that plays (`games.match`, plans and sealed orders, records, bots, the server) comes through here, so that
the labels of chance are known in this one place.

>>> from games.registry import game
>>> rules = game("gem").rules
>>> state = deal(rules, 3, {"pace": "table"}, "example")
>>> sorted(rules.waiting_on(state))
[1]
>>> move, step = play_text(rules, state, 1, "bid 3", "example", ply=1)
>>> [event.kind for event in step.events]
['bid']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from games.chance import Chance
from games.contract import FIRST_SEAT, Options, Rules, Seat, Step


def deal(rules: Rules[Any, Any, Any], seats: int, options: Options, seed: str) -> Any:
    """Return the first position of the match with this seed.

    With `FIRST_SEAT` among the options, what is drawn is the same but for the seat that begins.

    >>> from games.registry import game
    >>> rules = game("gem").rules
    >>> [sorted(rules.waiting_on(deal(rules, 3, options, "example"))) for options in ({}, {"first": "A"})]
    [[1], [0]]
    """
    own = {name: value for name, value in options.items() if name != FIRST_SEAT.name}
    drawn = rules.deal(seats=seats, options=own, chance=Chance(seed, "deal"))
    if FIRST_SEAT.name not in options:
        return drawn
    return rules.deal_explicit(seats=seats, options=own, deal=rules.write_deal(drawn), first=0)


def chance_of(seed: str, ply: int) -> Chance:
    """Return the stream of chance for move number `ply`, from 1."""
    return Chance(seed, f"ply {ply}")


def play(rules: Rules[Any, Any, Any], state: Any, seat: Seat, move: Any, seed: str, ply: int) -> Step[Any]:
    """Play the move as number `ply` of the match with this seed. Raises IllegalMove."""
    return rules.apply(state, seat, move, chance_of(seed, ply))


def play_text(
    rules: Rules[Any, Any, Any], state: Any, seat: Seat, text: str, seed: str, ply: int
) -> tuple[Any, Step[Any]]:
    """Read the move, play it as number `ply`, and return it with its step. Raises GameError."""
    move = rules.parse(state, seat, text)
    return move, play(rules, state, seat, move, seed, ply)


def follow(rules: Rules[Any, Any, Any], state: Any, advance: Callable[[Any, Seat], Any]) -> Iterator[Any]:
    """Yield the positions that follow, each from `advance(state, seat)`, until nobody is waited for.

    Of several seats that are waited for, the first comes first.
    """
    while waiting := rules.waiting_on(state):
        state = advance(state, min(waiting))
        yield state
