"""`python -m tests.puzzles make` ends, whatever the game."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from pathlib import Path

import pytest

from games.puzzle import FILE, FOLDER, Puzzle, read_puzzles
from games.registry import game
from tests.puzzles import __main__ as stock


def look_for(
    wanted: int, fruitful: Collection[int], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, list[int]]:
    """Make a stock where only these matches have a puzzle; return the status and the matches looked through."""
    brought, looked = read_puzzles(game("gem")), []

    def find_in_match(entry: object, number: int) -> list[Puzzle]:
        assert number < 1000, "it goes on for ever"
        looked.append(number)
        return brought[:1] if number in fruitful else []

    monkeypatch.setattr(stock, "find_in_match", find_in_match)
    monkeypatch.setattr(stock, "read_puzzles", lambda entry: [])
    monkeypatch.setattr(stock, "as_file", lambda _folder: nullcontext(folder))
    return stock.make(game("gem"), wanted, after=0, patience=10), looked


def test_a_game_without_puzzles_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, looked = look_for(25, (), tmp_path, monkeypatch)
    assert (status, looked) == (1, list(range(1, 11)))
    assert "no puzzle in the last 10 matches" in capsys.readouterr().out
    assert not (tmp_path / FOLDER).exists()


def test_every_puzzle_renews_its_patience(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert look_for(3, range(8, 1000, 8), tmp_path, monkeypatch) == (0, list(range(1, 25)))
    assert len((tmp_path / FOLDER / FILE).read_text().splitlines()) == 3
