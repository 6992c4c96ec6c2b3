"""Move counts to a fixed depth: the number of ways in which Jewellers can begin, for two deals.

By hand: a starter has three sizes, then 2⁹ - 1 = 511 sets of cards to open with. The tower has 16 junctions. Without
cards only sizes are drawn, and no size more than five times.
"""

from __future__ import annotations

from copy import deepcopy

import pytest

from games.jewellers.rules import RULES
from games.jewellers.state import State
from tests.games.jewellers.oracle import Table
from tests.games.jewellers.positions import DEAL, SILVER, first_position, last_gem, read_cards, with_hands
from tests.games.playing import count_sequences

OTHER_DEAL = "small: L S P E R; medium: E R P S L; large: R E P S L"


def count_on_table(table: Table, depth: int) -> int:
    """Count the sequences by the plain bookkeeping of `oracle.py`."""
    if depth == 0:
        return 1
    total = 0
    for text in table.legal():
        after = deepcopy(table)
        after.play(text)
        total += count_on_table(after, depth - 1)
    return total


COUNTS = [
    (first_position(2), [3, 1533]),
    (first_position(2, OTHER_DEAL, SILVER), [16, 48, 24528]),
    (with_hands(first_position(2), "", ""), [3, 9, 27, 81, 243, 726]),
    (last_gem(2, "Pm", "2 3", "4"), [1, 3, 5, 4, 2, 0]),
]


@pytest.mark.parametrize(("state", "counts"), COUNTS)
def test_move_counts(state: State, counts: list[int]) -> None:
    assert [count_sequences(RULES, state, depth) for depth in range(1, len(counts) + 1)] == counts


FEW_CARDS = [
    (DEAL, False, ("2 5 9", "3 4", "7"), [3, 21, 33, 45, 141, 303]),
    (OTHER_DEAL, True, ("2 3", "5 6"), [16, 48, 144, 528, 1152]),
]


@pytest.mark.parametrize(("deal", "silver", "hands", "counts"), FEW_CARDS)
def test_move_counts_beside_the_oracle(
    deal: str, silver: bool, hands: tuple[str, ...], counts: list[int]
) -> None:
    state = with_hands(first_position(len(hands), deal, SILVER if silver else {}), *hands)
    table = Table(len(hands), deal, 0, silver=silver, ages=[])
    table.hand = [set(read_cards(hand)) for hand in hands]
    for depth, count in enumerate(counts, start=1):
        assert count_sequences(RULES, state, depth) == count_on_table(table, depth) == count
