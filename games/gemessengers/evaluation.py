"""A cheap guess of how a seat of Gemessengers stands: what its gems, and its empty places, will be worth.

The figures were found by playing thousands of matches against players with others.
"""

from __future__ import annotations

from functools import lru_cache

from games.contract import Seat
from games.fields import replace
from games.gemessengers.components import PLAIN_VALUE, PROCLAMATIONS_PER_ROW, ROWS, VALUES, WORKSHOP_SIZE, Row
from games.gemessengers.scoring import total_results
from games.gemessengers.state import Cards, State, Workshop, is_over, piece_of
from games.gemessengers.workshop import Sizes, count_gems, list_offsets, put_gem

HOPES = (0.39, 0.45, 1.04)
"""The gain of one, two and three gems of a suit in one row while its proclamation is not placed: three make it
likely that the seat itself proclaims it there."""
LOSSES = (0.37, 0.18, 0.0)
"""The loss of a proclaimed gem by further proclamations still to come, if there are one, two or three in its row."""
CHANCES = (0.21, 0.35, 0.29)
"""The chance that an empty place is filled with one of the suits proclaimed for its row, one, two or three."""
CHOICE = 0.14
"""The worth of each further way to settle the rows."""
LATE = 3.5
"""With fewer turns than this to come, hopes and losses fade."""


def evaluate(state: State, seat: Seat) -> float:
    """The seat's prospects less those of the best other seat, in points; the own sealed pick counts as placed."""
    if is_over(state):
        prospects = [float(total) for total in total_results(state)]
    else:
        state = _place_own_pick(state, seat)
        totals = total_results(state)
        prospects = [
            totals[other] + taken + estimate_gems(state, workshop)
            for other, (taken, workshop) in enumerate(zip(state.taken, state.workshops, strict=True))
        ]
    return prospects[seat] - max(value for other, value in enumerate(prospects) if other != seat)


def _place_own_pick(state: State, seat: Seat) -> State:
    """The position as if only this seat's pick were carried out."""
    play, proclaim = state.sealed.plays[seat], state.sealed.proclaims[seat]
    if play:
        workshop = put_gem(state.workshops[seat], play.gem, play.spot)
        return replace(state, workshops=(*state.workshops[:seat], workshop, *state.workshops[seat + 1 :]))
    if proclaim:
        row = proclaim.rows[0]
        tokens, taken = list(state.tokens), list(state.taken)
        gains = min(tokens[row], 1)
        tokens[row] -= gains
        taken[seat] += gains
        guild = add_proclamation(state.guild, row, proclaim.suit)
        return replace(state, guild=guild, tokens=tuple(tokens), taken=tuple(taken))
    return state


def add_proclamation(guild: tuple[Cards, ...], row: Row, suit: str) -> tuple[Cards, ...]:
    """The guild with one more proclamation in this row."""
    return (*guild[:row], (*guild[row], suit), *guild[row + 1 :])


def count_turns_left(state: State) -> int:
    """The turns that the round will take at least: the slowest seat places one gem in each."""
    return WORKSHOP_SIZE - min([sum(count_gems(workshop)) for workshop in state.workshops])


def estimate_gems(state: State, workshop: Workshop) -> float:
    """Estimate the points of the workshop, settled in the best way that is still possible."""
    return estimate_workshop(state.guild, workshop, piece_of(state).capacities, count_turns_left(state))


@lru_cache(maxsize=20_000)
def estimate_workshop(guild: tuple[Cards, ...], workshop: Workshop, capacities: Sizes, left: int) -> float:
    """`estimate_gems`, kept, as playouts ask again and again; `left`: turns to come."""
    fade = min(1.0, left / LATE)
    settled = [
        _estimate_settled(guild, workshop, offset, capacities, fade)
        for offset in list_offsets(count_gems(workshop), capacities)
    ]
    return max(settled) + CHOICE * (len(settled) - 1)


def _estimate_settled(
    guild: tuple[Cards, ...], workshop: Workshop, offset: int, capacities: Sizes, fade: float
) -> float:
    """Estimate it with the top row at this offset: gems as they lie, empty places by the hope for them."""
    proclaimed = {suit for suits in guild for suit in suits}
    estimate = 0.0
    for row in ROWS:
        place, here = row - offset, guild[row]
        gems = workshop[place] if 0 <= place < len(workshop) else ()
        gain = VALUES[len(here)] - PLAIN_VALUE if here else 0
        estimate += PLAIN_VALUE * capacities[row]
        estimate += len([gem for gem in gems if gem in here]) * (gain - fade * LOSSES[len(here) - 1])
        estimate += (capacities[row] - len(gems)) * CHANCES[len(here) - 1] * gain
        if len(here) < PROCLAMATIONS_PER_ROW:
            share = (VALUES[len(here) + 1] - PLAIN_VALUE) / (VALUES[1] - PLAIN_VALUE)
            hopeful = [gem for gem in gems if gem not in proclaimed]
            hopes = [HOPES[hopeful.count(suit) - 1] for suit in dict.fromkeys(hopeful)]
            estimate += fade * share * sum(hopes)
    return estimate
