"""Plays matches between computer players: one that is tested, in every place of the same deal, among references."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from games import bots, plies
from games.chance import Chance
from games.contract import Game, Seat
from games.record_headers import read_options
from games.registry import game
from tests.strength import frozen


@dataclass(frozen=True, slots=True)
class Played:
    """One match: the ranks of the seats, and the CPU seconds and moves of the tested seat."""

    ranks: tuple[int, ...]
    seconds: float
    moves: int
    first: Seat
    """The seat that moved first; 0 where all begin at once."""

    def share(self, seat: Seat) -> float:
        """The part of its opponents that the seat has beaten; a shared place counts half."""
        rank = self.ranks[seat]
        beaten = sum([1.0 if other > rank else 0.5 * (other == rank) for other in self.ranks]) - 0.5
        return beaten / (len(self.ranks) - 1)


def play(slug: str, seats: int, tested: str, reference: str, deal: int, place: Seat) -> Played:
    """Play this deal with the tested player in this place and references in all others.

    A player is a level, `policy` (the policy alone), or `frozen`; `hard*10` has ten times the simulations.
    """
    entry = game(slug)
    rules = entry.rules
    state = plies.deal(rules, seats, read_options(rules.meta, "", seats), f"strength {deal}")
    chance = Chance(f"strength {deal} {place}", "bots")
    seconds, moves = 0.0, 0
    first = min(rules.waiting_on(state))
    while waiting := rules.waiting_on(state):
        if forced := rules.forced_move(state):
            seat, move = forced
        else:
            seat = min(waiting)
            began = time.process_time()
            move = choose(tested if seat == place else reference, entry, state, seat, chance)
            if seat == place:
                seconds += time.process_time() - began
                moves += 1
        state = rules.apply(state, seat, move, chance).state
    return Played(tuple(rules.ranks(state)), seconds, moves, first)


def choose(player: str, entry: Game, state: Any, seat: Seat, chance: Chance) -> Any:
    """The move of this player."""
    name, _, factor = player.partition("*")
    match name:
        case "policy":
            assert entry.policy is not None
            return entry.policy(state, seat, chance)
        case "frozen":
            return frozen.choose("normal", frozen.FROZEN[entry.rules.meta.slug], state, seat, chance)
        case _:
            simulations = bots.count_simulations(entry, state, name) * int(factor) if factor else None
            return bots.choose(name, entry, state, seat, chance, simulations)
