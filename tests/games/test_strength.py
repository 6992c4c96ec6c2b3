"""Each level of the computer players is stronger than the one below; `bench --strength` measures it in more matches."""

from __future__ import annotations

import pytest

from games.bench import Strength, measure_strength
from games.registry import GAMES, OWN

MATCHES = {"florentine": 8, "gem": 8, "gembatan": 100, "gemessengers": 100, "jewellers": 20}
"""Fewer where normal leads easy by more, and where a match takes longer."""
MOST_LUCK = 0.05
"""How likely it may be that equals come to such a result."""


@pytest.mark.parametrize("level", ["easy", "normal"])
def test_bots_beat_random_moves(level: str) -> None:
    """Of 16 matches chance would win 8; more than 12 happen by chance once in a hundred. A few simulations do."""
    found = measure_strength("gem", level, "random", matches=16, simulations=16)
    assert found.share > 12 / 16
    assert found.slowest < 2


@pytest.mark.slow
@pytest.mark.parametrize("slug", OWN)
def test_normal_beats_easy(slug: str) -> None:
    """A player who waits for the stronger level gets one: so clear a lead is no luck."""
    found = measure_strength(slug, "normal", "easy", MATCHES[slug], GAMES[slug].simulations)
    assert found.luck <= MOST_LUCK, f"{found.share:.2f} of {found.matches} matches"


def test_luck_is_what_equals_come_to() -> None:
    """Heads at least 9 times of 10: 11 in 1,024; half of the points: more likely than not."""

    def luck(matches: int, share: float) -> float:
        return Strength("gem", "normal", "easy", matches, share, slowest=0).luck

    assert luck(10, 0.9) == pytest.approx(11 / 1024)
    assert luck(10, 0.95) == pytest.approx(11 / 1024)
    assert luck(100, 0.5) > 0.5
