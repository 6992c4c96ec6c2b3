"""Prompts per match: plans spare prompts where there are contests, sealed pace spares waiting."""

from __future__ import annotations

import pytest

from games.asking import measure_asking
from games.registry import GAMES, OWN


@pytest.mark.parametrize("slug", OWN)
def test_prompts_are_counted_for_every_game(slug: str) -> None:
    found = measure_asking(slug, 2)
    assert found.plies >= found.table.prompts >= found.table.waits > 10
    assert (found.sealed is None) == (GAMES[slug].sealed_pace is None)


@pytest.mark.parametrize("slug", ["gem", "jewellers"])
def test_an_auction_takes_fewer_exchanges_with_plans_and_far_fewer_at_sealed_pace(slug: str) -> None:
    found = measure_asking(slug, 4)
    assert found.sealed is not None
    assert found.plans.prompts < found.table.prompts
    assert found.sealed.waits < 0.7 * found.table.waits
