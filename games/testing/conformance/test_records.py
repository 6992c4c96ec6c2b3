"""The recorded matches of a package, replayed to the result that stands in their headers."""

from __future__ import annotations

from games.chance import NO_SEED
from games.record import RESIGN, MoveLine, Record, read_record, write_record
from games.registry import game
from games.replay import begin, play_line, replay, summarise
from games.verify import verify


def tell_bots(slug: str) -> str:
    """The command that plays a whole match."""
    seats = game(slug).rules.meta.min_seats
    return f"gemgames play {slug} --seats {seats} --bots {seats} --save FILE"


def read_texts(slug: str) -> dict[str, str]:
    """The records of the package by their file names."""
    files = sorted((game(slug).folder / "records").iterdir(), key=lambda file: file.name)
    texts = {file.name: file.read_text(encoding="utf-8") for file in files if file.name.endswith(".match")}
    assert texts, f"a package has at least one recorded match: `{tell_bots(slug)}` writes one"
    return texts


def test_recorded_matches_end_as_they_say(slug: str) -> None:
    for name, text in read_texts(slug).items():
        record = read_record(text)
        assert record.game == slug, f"{name} is of another game: {record.game}"
        for header, written in (("Result", record.result), ("Ending", record.ending)):
            assert written is not None, (
                f"{name} has no `{header}:`: play its match to the end, as `{tell_bots(slug)}` does"
            )
        played = replay(record)
        assert played.refusal is None, f"{name}: {played.refusal}"
        assert played.ply == len(record.moves), f"{name}: only {played.ply} of its moves can be played"
        assert summarise(played)["over"] is True, f"{name}: after its last move the match goes on"
        if record.server_part is not None:
            verify(record)


def test_recorded_matches_are_written_canonically(slug: str) -> None:
    """Comments apart, writing gives the file again; every move stands in its canonical text."""
    for name, text in read_texts(slug).items():
        record = read_record(text)
        body = "".join(
            line
            for line in text.splitlines(keepends=True)
            if not line.startswith("#") or line.startswith("# sealed")
        )
        assert write_record(record) == body, name
        assert_moves_are_canonical(slug, record)


def assert_moves_are_canonical(slug: str, record: Record) -> None:
    rules = game(slug).rules
    current = begin(record)
    for line in record.moves:
        assert isinstance(line, MoveLine)
        if line.text != RESIGN:
            assert rules.write(rules.parse(current.state, line.seat, line.text)) == line.text
        current = play_line(current, line, record.seed or NO_SEED)
