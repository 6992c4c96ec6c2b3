"""A quick player of Gemessengers: the pick that betters its lead most at once, by `evaluation`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from games.chance import Chance
from games.contract import Seat
from games.gemessengers.components import PROCLAMATION, SUIT_NAMES, Row
from games.gemessengers.evaluation import add_proclamation, count_turns_left, estimate_workshop
from games.gemessengers.picking import list_open_rows
from games.gemessengers.state import Cards, Move, Play, Proclaim, State, Workshop, is_finished, piece_of
from games.gemessengers.workshop import Sizes, count_gems, list_spots, put_gem

TOKEN = 1.48
"""The worth of a token: itself, and that the others do not take it."""
TEMPO = 0.07
"""The worth of a gem for being placed now: who has finished takes tokens."""
DENIAL = 0.48
"""The part of the neighbour's loss that speaks for a card: the rest of the hand is passed on."""


def choose(state: State, seat: Seat, chance: Chance) -> Move:
    """The pick that is worth most to the seat; it has one."""
    return suggest(state, seat)[0]


def suggest(state: State, seat: Seat) -> list[Move]:
    """The seat's picks, the best first; none for a seat that has finished. Sealed picks do not count."""
    if is_finished(state.workshops[seat]):
        return []
    hand = state.hands[seat]
    values = dict(_value_moves(state, seat, hand))
    denied, loss = _find_denied(state, seat)
    for move in values:
        if _card_of(move) == denied:
            values[move] += DENIAL * loss
    return sorted(values, key=values.__getitem__, reverse=True)


def _find_denied(state: State, seat: Seat) -> tuple[str, float]:
    """The card that the neighbour would like best of this hand, and how much better than any other; "" for none."""
    hand = state.hands[seat]
    neighbour = (seat + piece_of(state).passes) % len(state.hands)
    if is_finished(state.workshops[neighbour]):
        return "", 0.0
    best = dict.fromkeys(hand, float("-inf"))
    for move, value in _value_moves(state, neighbour, hand):
        best[_card_of(move)] = max(best[_card_of(move)], value)
    first, *others = sorted(best, key=best.__getitem__, reverse=True)
    if not others or hand.count(first) > 1:
        return "", 0.0
    return first, best[first] - best[others[0]]


def _card_of(move: Move) -> str:
    return move.gem if isinstance(move, Play) else PROCLAMATION[move.suit]


def _value_moves(state: State, seat: Seat, hand: Cards) -> Iterator[tuple[Move, float]]:
    """Rate each way to play one of these cards by its worth to the seat."""
    guild, workshop, capacities = state.guild, state.workshops[seat], piece_of(state).capacities
    left = count_turns_left(state)
    for card in dict.fromkeys(hand):
        if card in SUIT_NAMES:
            yield from _value_plays(card, guild, workshop, capacities, left)
        else:
            values = {
                row: _value_proclamation(state, seat, card[1], row, left) for row in list_open_rows(guild)
            }
            rows = sorted(values, key=values.__getitem__, reverse=True)
            for row in rows:
                yield Proclaim(card[1], (row, *[other for other in rows if other != row])), values[row]


@lru_cache(maxsize=20_000)
def _value_plays(
    gem: str, guild: tuple[Cards, ...], workshop: Workshop, capacities: Sizes, left: int
) -> tuple[tuple[Play, float], ...]:
    """The ways to place a gem in this workshop with their worth, kept: playouts ask again and again."""
    now = estimate_workshop(guild, workshop, capacities, left) - TEMPO
    return tuple(
        (Play(gem, spot), estimate_workshop(guild, put_gem(workshop, gem, spot), capacities, left) - now)
        for spot in list_spots(count_gems(workshop), capacities)
    )


def _value_proclamation(state: State, seat: Seat, suit: str, row: Row, left: int) -> float:
    """Its token, and what the seat's gems gain by it, less what the gems of the others do in the mean."""
    capacities = piece_of(state).capacities
    guild = add_proclamation(state.guild, row, suit)
    gains = [
        estimate_workshop(guild, workshop, capacities, left)
        - estimate_workshop(state.guild, workshop, capacities, left)
        for workshop in state.workshops
    ]
    others = (sum(gains) - gains[seat]) / (len(gains) - 1)
    return TOKEN * min(state.tokens[row], 1) + gains[seat] - others
