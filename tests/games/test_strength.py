"""Even with few simulations the bots of GEM are clearly better than chance; `bench --strength` measures all games."""

from __future__ import annotations

import pytest

from games.bench import measure_strength


@pytest.mark.parametrize("level", ["easy", "normal"])
def test_bots_beat_random_moves(level: str) -> None:
    """Of 16 matches chance would win 8; more than 12 happen by chance once in a hundred."""
    found = measure_strength("gem", level, "random", matches=16, simulations=16)
    assert found.share > 12 / 16
    assert found.slowest < 2
