"""Archives: what is written is read again, every row replays, and a file that is none says so."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from games import archive
from games.__main__ import main
from games.archive import Player, Row
from games.contract import GameError
from games.match import Match
from games.registry import OWN


def play(slug: str, number: int = 1) -> Row:
    """A random match as a row."""
    match = Match.new(slug, players=["Ana", "player 1"], seed=f"{number:064x}")
    while not match.is_over:
        match.play_forced() or match.play_bot("random")
    return Row(number, (Player("Ana"), Player(number=1)), is_rated=False, record=match.record())


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return [play(slug, number) for number, slug in enumerate(OWN, start=1)]


@pytest.fixture
def file(rows: list[Row], tmp_path: Path) -> Path:
    path = tmp_path / "gemserver-2026-10.jsonl.gz"
    with path.open("wb") as written:
        assert archive.write_rows(rows, written) == len(rows)
    return path


def test_what_is_written_is_read_again_compressed_or_not(rows: list[Row], file: Path) -> None:
    with file.open("rb") as compressed:
        read = list(archive.read_rows(compressed))
    plain = gzip.decompress(file.read_bytes())
    assert [archive.write_row(row) for row in read] == [archive.write_row(row) for row in rows]
    assert [row.number for row in archive.read_rows(io.BytesIO(plain))] == [row.number for row in rows]


def test_the_same_rows_make_the_same_bytes(rows: list[Row], file: Path) -> None:
    again = io.BytesIO()
    archive.write_rows(rows, again)
    assert again.getvalue() == file.read_bytes()


def test_every_match_is_replayed_and_counted(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "gem: 1 matches, " in printed
    assert f"Every match replays to its end: {len(OWN)}." in printed


def test_one_match_is_shown_and_its_record_replays(
    rows: list[Row], file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["archive", str(file), "2"]) == 0
    printed = capsys.readouterr().out
    assert f"After {len(rows[1].record.moves)} plies:" in printed
    assert "The match was ended here." not in printed, "it was played out"
    assert main(["archive", str(file), "2", "--record"]) == 0
    record = tmp_path / "two.match"
    record.write_text(capsys.readouterr().out)
    assert main(["replay", str(record)]) == 0


def test_a_changed_result_is_named(
    rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = replace(rows[0].record, result=tuple(score + 1 for score in rows[0].record.result or ()))
    path = tmp_path / "wrong.jsonl"
    path.write_text(archive.write_row(replace(rows[0], record=wrong)) + "\n")
    assert main(["archive", str(path)]) == 1
    assert "Match 1: line" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"hello\n", "Line 1 of the archive: "),
        (b"[]\n", "Line 1 of the archive: "),
        (b"\xff\xfe\n", "Line 1 is not written in UTF-8."),
        (b'{"number": 1, "players": [], "rated": true, "record": "x"}\n', "Line 1 of the archive: "),
        (b'{"number": 1e999, "players": []}\n', "Line 1 of the archive: "),
        (b"[" * 100_000 + b"\n", "Line 1 of the archive: "),
        (b"\x1f\x8bnonsense", "damaged or cut off"),
    ],
)
def test_what_is_no_archive_gives_status_2_and_the_line(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    assert main(["archive", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_a_file_that_was_cut_off_is_noticed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(file.read_bytes()[:-20])
    assert main(["archive", str(file)]) == 2
    assert "fetch it again" in capsys.readouterr().err


def test_a_small_file_of_nothing_but_lines_is_refused() -> None:
    with pytest.raises(GameError, match="empty lines"):
        list(archive.read_rows(io.BytesIO(gzip.compress(b"\n" * 10_000))))


@pytest.mark.parametrize("name", ["\x1b]0;Ana\x07", "An\ud800a", "An\u202ea", "\u2066Ana"])
@pytest.mark.parametrize("where", ["players", "record"])
def test_names_that_steer_a_terminal_are_refused(rows: list[Row], where: str, name: str) -> None:
    row = json.loads(archive.write_row(rows[0]))
    if where == "players":
        row["players"][0]["name"] = name
    else:
        row["record"] = row["record"].replace("Ana", name)
    with pytest.raises(GameError, match="cannot be shown"):
        archive.read_row(json.dumps(row))


def test_a_row_of_millions_of_players_is_refused_before_it_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("json.loads", lambda _: pytest.fail("it was read"))
    with pytest.raises(GameError, match="no row of an archive"):
        archive.read_row('{"number":1,"players":[' + "{}," * 1000 + "{}]}")


def test_a_row_as_long_as_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LONGEST_ROW", 1000)
    with pytest.raises(GameError, match="at most 1000 bytes"):
        list(archive.read_rows(io.BytesIO(gzip.compress(b" " * 5000))))


def test_an_unknown_number_is_said(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", str(file), "99"]) == 2
    assert "has no match 99" in capsys.readouterr().err


def test_a_row_says_of_people_no_more_than_it_may() -> None:
    row = replace(play("gem"), players=(Player(number=4, is_program=True), Player(bot="easy")))
    assert json.loads(archive.write_row(row))["players"] == [{"number": 4, "program": True}, {"bot": "easy"}]
