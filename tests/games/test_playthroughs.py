"""The texts of every game are those that somebody has read and committed."""

from __future__ import annotations

import pytest

from tests.games.playthroughs import find_file, list_playthroughs, tell_playthrough


@pytest.mark.parametrize(("slug", "seats"), list_playthroughs())
def test_a_playthrough_reads_as_it_did(slug: str, seats: int) -> None:
    """After an intended change run `make playthroughs` and read the difference."""
    kept = find_file(slug, seats).read_text(encoding="utf-8").splitlines()
    told = list(tell_playthrough(slug, seats))
    for number, (old, new) in enumerate(zip(kept, told, strict=False), start=1):
        assert new == old, f"line {number}"
    assert len(told) == len(kept)
