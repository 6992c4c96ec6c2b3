"""`python -m games`: exit statuses, output, and a match at the keyboard."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from games import terminal
from games.__main__ import main
from games.record import read_options, read_record
from games.registry import OWN, game
from games.replay import replay
from tests.games.test_record import WORKED

PROJECT = Path(__file__).resolve().parents[2]


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
    monkeypatch.setattr("games.__main__.LONGEST_FILE", 100)
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


# A match at the keyboard: typed and shown lines are lists.


def sit(
    *typed: str, seats: int = 2, people: int = 1, seed: str = "ab" * 32
) -> tuple[list[str], terminal.Sitting]:
    shown: list[str] = []
    lines: Iterator[str] = iter(typed)

    def ask(question: str) -> str:
        shown.append(question)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    sitting = terminal.sit_down(
        game("gem"),
        seats=seats,
        people=people,
        level="random",
        seed=seed,
        options={"pace": "table"},
        ask=ask,
        say=shown.append,
    )
    terminal.play_sitting(sitting)
    return shown, sitting


def test_a_person_plays_against_bots_and_the_record_replays() -> None:
    shown, sitting = sit("bid 1", "quit")
    assert "You bid 1." in shown
    assert replay(read_record(shown[-1])).refusal is None
    assert sitting.match.lines[0].text == "bid 1"


def test_a_refused_move_is_explained_and_asked_again() -> None:
    shown, sitting = sit("bid 99", "fly", "bid 0")
    assert any("99 is more than you can pay" in text for text in shown)
    assert any("not understood" in text for text in shown)
    assert sitting.match.lines[0].text == "bid 0"


def test_a_move_is_built_from_menus() -> None:
    shown, sitting = sit("", "3", "quit")
    assert "    3  Bid 2" in shown
    assert sitting.match.lines[0].text == "bid 2"


def test_a_menu_can_be_left() -> None:
    _, sitting = sit("", "", "", "99", "bid 4", "quit")
    assert sitting.match.lines[0].text == "bid 4"


@pytest.mark.slow
def test_commands_at_the_keyboard() -> None:
    shown, sitting = sit("help", "moves", "board", "log", "hint", "undo", "bid 0", "undo", "quit")
    text = "\n".join(shown)
    for expected in (
        "Words may be shortened",
        "  bid 6",
        "There is nothing to take back yet",
        "is taken back",
    ):
        assert expected in text
    assert re.search(
        r"A computer player would write: bid \d+\nIt expects \d+ of 100 from it; from others: bid \d+ \d+, ",
        text,
    )
    assert sitting.match.lines == []


def test_the_rules_can_be_read_at_the_keyboard() -> None:
    shown, _ = sit("rules", "quit")
    assert any(text.startswith("# GEM") and "three coins, worth 1, 2 and 3" in text for text in shown)
    assert "rules" in terminal.HELP


def test_no_line_of_a_match_at_the_keyboard_is_wider_than_the_others() -> None:
    """Sentences of the log are wrapped as boards and prompts are; records keep their hashes whole."""
    for slug in OWN:
        shown: list[str] = []
        entry = game(slug)
        seats = entry.rules.meta.max_seats
        sitting = terminal.sit_down(
            entry,
            seats=seats,
            people=0,
            level="random",
            seed="ab" * 32,
            options=read_options(entry.rules.meta, "", seats),
            ask=lambda question: "",
            say=shown.append,
        )
        terminal.play_sitting(sitting)
        assert [line for text in shown[:-1] for line in text.splitlines() if len(line) > 72] == []


def test_resigning_ends_a_match_of_two() -> None:
    shown, _ = sit("resign", "no", "resign", "yes")
    assert any("wins, for the other has resigned" in text for text in shown)
    record = read_record(shown[-1])
    assert record.ending == "resigned"
    assert replay(record).refusal is None


def test_after_a_resignation_bots_finish_a_larger_match() -> None:
    shown, sitting = sit("resign", "yes", seats=3, seed="cd" * 32)
    record = read_record(shown[-1])
    assert record.ending == "played out"
    assert replay(record).refusal is None
    assert sitting.match.is_over


def test_bots_alone_play_a_whole_match() -> None:
    shown, _ = sit(people=0, seats=4)
    played = replay(read_record(shown[-1]))
    assert (played.refusal, played.ended) == (None, True)
    assert any("The match is over: " in text for text in shown)


def test_two_people_share_a_keyboard() -> None:
    shown, _ = sit("", "bid 0", "", "pass", "quit", people=2)
    assert any("Press Enter when you sit at the keyboard" in text for text in shown)
