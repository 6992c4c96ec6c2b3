"""The ranks to which recorded matches lead; their scores are checked by `tests.games.test_records`."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.record import BadLine, MoveLine, read_record
from games.replay import replay

RECORDS = Path(__file__).parents[3] / "games" / "jewellers" / "records"


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("two-seats-tie-broken-without-bonuses", (2, 1)),
        ("three-seats-shared-victory", (1, 1, 3)),
        ("three-seats-tie-broken-by-age", (2, 1, 3)),
    ],
)
def test_ties(name: str, ranks: tuple[int, ...]) -> None:
    """Paragraph 20; the last two are the same match, once without and once with ages."""
    record = read_record((RECORDS / f"{name}.match").read_text(encoding="utf-8"))
    assert tuple(replay(record).ranks) == ranks


def list_texts(lines: tuple[MoveLine | BadLine, ...]) -> list[str]:
    return [line.text for line in lines]


def test_ages_are_all_that_differs() -> None:
    shared, broken = (
        read_record((RECORDS / f"three-seats-{name}.match").read_text(encoding="utf-8"))
        for name in ("shared-victory", "tie-broken-by-age")
    )
    assert list_texts(shared.moves) == list_texts(broken.moves)
    assert (shared.seed, shared.result) == (broken.seed, broken.result)
    assert (shared.ages, broken.ages) == ((), (30, 31, 32))
