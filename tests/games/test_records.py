"""Whole matches of every game, replayed to the result that stands in their headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.chance import NO_SEED
from games.record import RESIGN, MoveLine, read_record, write_record
from games.registry import GAMES
from games.replay import begin, play_line, replay, summarise
from games.verify import verify

RECORDS = sorted((Path(__file__).parent / "records").glob("*/*.match"))


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_recorded_match_ends_as_it_says(file: Path) -> None:
    record = read_record(file.read_text(encoding="utf-8"))
    assert record.game == file.parent.name
    assert record.result is not None
    assert record.ending is not None
    played = replay(record)
    assert played.refusal is None
    assert played.ply == len(record.moves)
    assert summarise(played)["over"] is True
    if record.server_part is not None:
        verify(record)


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_recorded_match_is_written_canonically(file: Path) -> None:
    """Comments apart, writing gives the file again; every move stands in its canonical text."""
    text = file.read_text(encoding="utf-8")
    record = read_record(text)
    body = "".join(
        line
        for line in text.splitlines(keepends=True)
        if not line.startswith("#") or line.startswith("# sealed")
    )
    assert write_record(record) == body
    rules = GAMES[record.game].rules
    current = begin(record)
    for line in record.moves:
        assert isinstance(line, MoveLine)
        if line.text != RESIGN:
            assert rules.write(rules.parse(current.state, line.seat, line.text)) == line.text
        current = play_line(current, line, record.seed or NO_SEED)


@pytest.mark.parametrize("slug", GAMES)
def test_every_game_has_a_record_for_the_ways_to_end(slug: str) -> None:
    endings = {
        read_record(file.read_text(encoding="utf-8")).ending for file in RECORDS if file.parent.name == slug
    }
    assert endings == {"played out", "resigned", "adjudicated"}
