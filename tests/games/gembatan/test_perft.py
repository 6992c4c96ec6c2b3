"""Move counts to a fixed depth for two deals: the program's own numbers, which guard against unnoticed changes.

The plays among the first moves are also found by the oracle.
"""

from __future__ import annotations

import pytest

from games.chance import NO_SEED, Chance
from games.gembatan.components import GEMS, TILES
from games.gembatan.rules import RULES
from games.gembatan.state import Play, State
from tests.games.gembatan import oracle


def mix_deal(stride: int) -> str:
    """Mix the components without chance: every `stride`-th first, then those after them, and so on."""
    tiles = [tile for start in range(stride) for tile in TILES[start::stride]]
    gems = [gem for start in range(stride) for gem in GEMS[start::stride]]
    return f"tiles: {' '.join(tiles)} ; gems: {' '.join(gems)}"


def count_sequences(state: State, depth: int) -> int:
    """Count the sequences of `depth` legal moves from here; the last moves are counted without being played."""
    moves = RULES.legal_moves(state, state.turn)
    if depth == 1:
        return sum(1 for _ in moves)
    return sum(
        count_sequences(RULES.apply(state, state.turn, move, Chance(NO_SEED, "ply 1")).state, depth - 1)
        for move in moves
    )


@pytest.mark.parametrize(("seats", "stride", "counts"), [(2, 12, [279, 78709]), (3, 8, [356, 92895])])
def test_move_counts(seats: int, stride: int, counts: list[int]) -> None:
    first = RULES.deal_explicit(seats=seats, options={}, deal=mix_deal(stride), first=1)
    assert [count_sequences(first, depth) for depth in (1, 2)] == counts
    plays = {RULES.write(move) for move in RULES.legal_moves(first, 1) if isinstance(move, Play)}
    assert plays == oracle.list_play_texts(first)
