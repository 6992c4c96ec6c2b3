"""Move counts to a fixed depth: the number of ways in which Florentine Domino can begin, for two deals.

By hand: the first seat has 16 placements when none of its cards looks the same twice, 14 with one that does. The
other numbers are the program's own and guard against unnoticed changes; the oracle stands in test_placing.
"""

from __future__ import annotations

import pytest

from games.florentine.rules import RULES
from tests.games.florentine.positions import DEAL, deal_first, first_position
from tests.games.playing import count_sequences

OTHER_DEAL = deal_first("rbrb", "rrgb", "bgoo", "bbog", "ggoo", "rogo", "rrbg", "rgbb")


@pytest.mark.parametrize(
    ("seats", "deal", "counts"),
    [
        (4, DEAL, [16, 384, 7856]),
        (2, OTHER_DEAL, [14, 272, 4708]),
    ],
)
def test_move_counts(seats: int, deal: str, counts: list[int]) -> None:
    first = first_position(seats, deal)
    assert [count_sequences(RULES, first, depth) for depth in range(1, len(counts) + 1)] == counts
