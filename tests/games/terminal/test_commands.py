"""`python -m games`: exit statuses and output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from games.__main__ import main
from games.record import read_record, write_record
from tests.games.test_record import WORKED
from tests.strangers import copy_example, installed

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture
def worked(tmp_path: Path) -> Path:
    file = tmp_path / "worked.match"
    file.write_text(WORKED)
    return file


def test_replay_prints_the_position(worked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(worked)]) == 0
    printed = capsys.readouterr()
    assert "GEM, day 1 of 6, auction 2." in printed.out
    assert "Waiting for Ana (A) to bid." in printed.out
    assert printed.err == ""


def test_replay_as_json(worked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(worked), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == ["game", "ply", "to_act", "context", "over", "scores", "ranks", "legal"]
    assert printed["to_act"] == ["A"]


def test_a_refused_line_gives_status_1_and_the_valid_prefix(
    worked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worked.write_text(WORKED.replace("4 D bid 3", "4 D bid 2"))
    assert main(["replay", str(worked), "--json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["ply"] == 3
    assert printed.err.startswith("line 9: illegal (too-low): ")


@pytest.mark.parametrize("content", [b"", b"hello", b"\xff\xfe", b"Game: gem 1\nPlayers: A | B\n"])
def test_what_is_no_record_gives_status_2(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.match"
    file.write_bytes(content)
    for command in ("replay", "verify"):
        assert main([command, str(file)]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith("unreadable (")


def test_of_a_file_without_end_no_more_is_read_than_a_record_can_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("games.terminal.files.LONGEST_FILE", 100)
    file = tmp_path / "long.match"
    file.write_bytes(b"\xff" * 101)
    assert main(["replay", str(file)]) == 2
    assert "more than 100 bytes" in capsys.readouterr().err


def test_a_missing_file_gives_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(tmp_path / "none.match")]) == 2
    assert "none.match" in capsys.readouterr().err


def test_a_running_match_gives_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "running.match"
    file.write_text(f"Game: gem 1\nMatch: M17\nPlayers: A | B\nCommitment: {'ab' * 32}\n\n1 A bid 0\n")
    assert main(["replay", str(file)]) == 2
    assert "the seed is not revealed yet" in capsys.readouterr().err


def test_an_unknown_header_is_mentioned(worked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worked.write_text(WORKED.replace("Options:", "Weather: fine\nOptions:"))
    assert main(["replay", str(worked)]) == 0
    assert "Weather" in capsys.readouterr().err


def test_verify(capsys: pytest.CaptureFixture[str], worked: Path) -> None:
    honest = PROJECT / "games" / "gem" / "records" / "three-seats-verifiable.match"
    assert main(["verify", str(honest)]) == 0
    assert "Everything fits" in capsys.readouterr().out
    text = honest.read_text()
    worked.write_text(text.replace("Match: M17", "Match: M18"))
    assert main(["verify", str(worked)]) == 1
    assert capsys.readouterr().err.startswith("not verified (commitment)")


@pytest.mark.slow
def test_the_module_runs_without_django() -> None:
    """Runs in a process of its own, where nothing else has been imported."""
    code = (
        "import sys, games.__main__ as m; status = m.main(['replay', '-', '--json']);"
        "assert not [name for name in sys.modules if name.split('.')[0] in ('django', 'msgspec', 'gemserver')];"
        "sys.exit(status)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], input=WORKED, cwd=PROJECT, capture_output=True, text=True
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert json.loads(found.stdout)["ply"] == 5


@pytest.mark.slow
def test_bench_prints_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "gem", "--repeat", "1", "--asking", "2"]) == 0
    header, figures, _, title, columns, asked = capsys.readouterr().out.splitlines()
    assert header.split()[:2] == ["game", "moves/s"]
    assert figures.split()[0] == "gem"
    assert title.startswith("prompts that need a person")
    assert columns.split()[-4:] == ["table", "with", "plans", "sealed"]
    assert asked.split()[0] == "gem"


@pytest.mark.parametrize("arguments", [["--seats", "5"], ["--seats", "2", "--bots", "3"], ["--bots", "-1"]])
def test_impossible_tables_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "gem", *arguments]) == 2
    assert "2 to 4 players" in capsys.readouterr().err


# In the reader's language


@pytest.mark.parametrize(
    ("language", "board", "refusal"),
    [
        ("de", "GEM, Tag 1 von 6", "Zeile 9: illegal (too-low): 2 übertrifft das Höchstgebot von 2 nicht."),
        ("fr", "GEM, jour 1 sur 6", "ligne 9\u00a0: illegal (too-low): "),
    ],
)
def test_a_record_is_shown_and_refused_in_the_readers_language(
    language: str, board: str, refusal: str, worked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worked.write_text(WORKED.replace("4 D bid 3", "4 D bid 2"))
    assert main(["replay", str(worked), "--language", language]) == 1
    printed = capsys.readouterr()
    assert board in printed.out
    assert printed.err.startswith(refusal)


def test_without_a_word_the_language_of_the_terminal_is_spoken(
    monkeypatch: pytest.MonkeyPatch, worked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worked.write_text("Game: gem 1\n")
    monkeypatch.setenv("LANGUAGE", "de_AT:fr")
    assert main(["verify", str(worked)]) == 2
    assert "missing-header): Die Kopfzeile Players: fehlt." in capsys.readouterr().err
    assert main(["verify", str(worked), "--language", "en"]) == 2
    assert "missing-header): The header Players: is missing." in capsys.readouterr().err


def test_a_language_that_nobody_speaks_here_is_refused(
    worked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for language in ("nl", "../de", ""):
        with pytest.raises(SystemExit) as ended:
            main(["replay", str(worked), "--language", language])
        assert ended.value.code == 2
        assert "(choose from 'de', 'en', 'fr')" in capsys.readouterr().err


def test_a_language_that_only_a_game_speaks_can_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copy_example(tmp_path)
    place = folder / "quay" / "locale" / "nl" / "LC_MESSAGES"
    place.mkdir(parents=True)
    (place / "django.mo").write_bytes((PROJECT / "games/locale/de/LC_MESSAGES/django.mo").read_bytes())
    with installed(folder):
        assert (
            main(["play", "quay", "--bots", "2", "--seats", "2", "--level", "random", "--language", "nl"])
            == 0
        )
    assert "Quay" in capsys.readouterr().out


def test_no_command_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    printed = capsys.readouterr().err
    assert "play here, against computer players" in printed


def test_a_record_of_a_game_that_is_not_here_names_those_that_are(
    worked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worked.write_text(WORKED.replace("Game: gem 1", "Game: chess 1"))
    assert main(["replay", str(worked)]) == 2
    assert "There is no game “chess”. The games are: " in capsys.readouterr().err


def test_a_record_of_rules_that_are_not_here_says_where_to_read_it(
    worked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worked.write_text(WORKED.replace("Game: gem 1", "Game: gem 7"))
    assert main(["replay", str(worked)]) == 2
    assert "Rules version 7 of GEM is not known here, only 1." in capsys.readouterr().err


def test_a_seed_that_no_record_could_hold_is_refused_before_the_match(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["play", "gem", "--bots", "2", "--seats", "2", "--seed", "xyz"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "--seed: must be 64 lower-case hex digits." in printed.err


@pytest.mark.parametrize("number", ["0", "-1", "9999"])
def test_a_puzzle_that_there_is_not_is_refused(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["puzzle", "gem", "--", number]) == 2
    assert f"GEM has no puzzle {number}. Its puzzles have the numbers 1 to " in capsys.readouterr().err


def test_a_match_is_saved_as_a_record_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a package keeps it in `records/`; nothing that is there already is written over."""
    file = tmp_path / "bots.match"
    command = ["play", "gem", "--bots", "2", "--seats", "2", "--level", "random", "--save", str(file)]
    assert main(command) == 0
    record = file.read_text(encoding="utf-8")
    assert write_record(read_record(record)) == record
    assert main(["replay", str(file)]) == 0
    capsys.readouterr()
    assert main(command) == 2
    assert capsys.readouterr().err == f"invalid (exists): {file} is there already. Name a new file.\n"
    assert file.read_text(encoding="utf-8") == record
    assert main([*command[:-1], str(tmp_path / "nowhere" / "x.match")]) == 2


def test_a_game_that_fails_loses_no_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copy_example(tmp_path)
    rules = folder / "quay" / "rules.py"
    rules.write_text(
        rules.read_text().replace("    place = FIELDS.index(move.field)\n", "    place = 1 // 0\n")
    )
    file = tmp_path / "broken.match"
    with installed(folder), pytest.raises(ZeroDivisionError):
        main(["play", "quay", "--bots", "2", "--seats", "2", "--level", "random", "--save", str(file)])
    printed = capsys.readouterr().out
    assert "The game has failed. This is the record so far:" in printed
    assert file.read_text(encoding="utf-8") in printed
    assert "\n2 B offer " in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command",
    [
        ["bench", "gem", "--repeat", "0"],
        ["bench", "gem", "--asking", "-1"],
        ["bench", "gem", "--ratings", "--matches", "0"],
        ["analyse", "-", "--simulations", "-4"],
        ["analyse", "-", "--simulations", "9" * 5000],
    ],
)
def test_nothing_is_repeated_less_than_once(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
    assert "is no whole number from 1 on" in capsys.readouterr().err


def test_a_match_that_is_refused_leaves_no_file_behind(tmp_path: Path) -> None:
    """Or the command that is put right would be refused, as the file is there already."""
    file = tmp_path / "new.match"
    for wrong in (["--seats", "99"], ["--seed", "zz"], ["--options", "x=y"]):
        assert main(["play", "gem", "--save", str(file), *wrong]) == 2
        assert not file.exists()


def test_a_package_is_not_written_where_nothing_can_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["new", "stone_heaps", "--into", str(tmp_path / "file")]) == 2
    assert "invalid (no-file)" in capsys.readouterr().err
