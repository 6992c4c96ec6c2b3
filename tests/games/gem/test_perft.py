"""Move counts to a fixed depth: the number of ways in which GEM can begin, for two deals.

By hand: everybody owns 6 at first, so n seats can call an auction in C(6 + n, n) ways: 7, 28, 84, 210. The other
numbers are the program's own and guard against unnoticed changes.
"""

from __future__ import annotations

import pytest

from games.gem.rules import RULES
from tests.games.gem.positions import DEAL, first_position
from tests.games.playing import count_sequences

OTHER_DEAL = "D3 TT AA EE RR SS D2 AS RA TR ET SE D1 TS AT EA RE SR"


COUNTS = [
    (2, DEAL, [7, 28, 176, 1232, 2052]),
    (4, OTHER_DEAL, [7, 28, 84, 210, 1132]),
]


@pytest.mark.parametrize(("seats", "deal", "counts"), COUNTS)
def test_move_counts(seats: int, deal: str, counts: list[int]) -> None:
    first = first_position(seats, deal)
    assert [count_sequences(RULES, first, depth) for depth in range(1, len(counts) + 1)] == counts
