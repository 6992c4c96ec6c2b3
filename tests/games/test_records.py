"""The games of the house have a recorded match for every way to end; that all replay is a shared test."""

from __future__ import annotations

import pytest

from games.record import read_record
from games.registry import OWN, game


@pytest.mark.parametrize("slug", OWN)
def test_every_game_has_a_record_for_the_ways_to_end(slug: str) -> None:
    texts = [file.read_text(encoding="utf-8") for file in (game(slug).folder / "records").iterdir()]
    assert len(texts) >= 4
    assert {read_record(text).ending for text in texts} == {"played out", "resigned", "adjudicated"}
