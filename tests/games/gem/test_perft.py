"""Move counts to a fixed depth: the number of ways in which GEM can begin, for two deals.

By hand: everybody owns 6 at first, so n seats can call an auction in C(6 + n, n) ways: 7, 28, 84, 210. The other
numbers are the program's own and guard against unnoticed changes.
"""

from __future__ import annotations

import pytest

from games.chance import NO_SEED, Chance
from games.contract import Rules
from games.gem.rules import RULES
from games.gem.state import Move, State, View
from tests.games.gem.positions import DEAL, first_position

OTHER_DEAL = "D3 TT AA EE RR SS D2 AS RA TR ET SE D1 TS AT EA RE SR"


def count_sequences(rules: Rules[State, Move, View], state: State, depth: int) -> int:
    """How many sequences of `depth` legal moves begin here."""
    if depth == 0:
        return 1
    total = 0
    for seat in rules.waiting_on(state):
        for move in rules.legal_moves(state, seat):
            total += count_sequences(
                rules, rules.apply(state, seat, move, Chance(NO_SEED, "ply 1")).state, depth - 1
            )
    return total


COUNTS = [
    (2, DEAL, [7, 28, 176, 1232, 2052]),
    (4, OTHER_DEAL, [7, 28, 84, 210, 1132]),
]


@pytest.mark.parametrize(("seats", "deal", "counts"), COUNTS)
def test_move_counts(seats: int, deal: str, counts: list[int]) -> None:
    first = first_position(seats, deal)
    assert [count_sequences(RULES, first, depth) for depth in range(1, len(counts) + 1)] == counts
