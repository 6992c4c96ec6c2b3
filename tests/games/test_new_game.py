"""A game outside this repository: written by `gemgames new`, tested, admitted, played."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from games import bots, registry
from games.__main__ import main
from games.chance import Chance
from games.match import Match
from games.record import read_record
from games.registry import GROUP, OWN, UnknownGame
from games.replay import replay
from tests.strangers import installed

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The folder of a game that has just been begun."""
    assert main(["new", "stone_heaps", "--into", str(tmp_path)]) == 0
    assert "gemgames play stone_heaps" in capsys.readouterr().out
    return tmp_path / "stone_heaps"


@pytest.fixture
def slug(written: Path) -> Iterator[str]:
    """Install the same game and return its slug."""
    with installed(written) as slug:
        yield slug


@pytest.mark.slow
def test_a_new_game_passes_its_tests_and_the_shared_ones(written: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "games.testing.plugin"],
        cwd=written,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    assert "test_views.py" in ran.stdout
    assert "failed" not in ran.stdout


@pytest.mark.slow
def test_a_broken_game_does_not_pass(written: Path) -> None:
    """The shared tests really run on it."""
    rules = written / "stone_heaps" / "rules.py"
    rules.write_text(rules.read_text().replace("range(1, size + 1)", "range(1, size + 2)"))
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "games.testing.plugin", "-x"],
        cwd=written,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1


def test_a_new_game_is_packed_with_whatever_a_game_may_bring(written: Path) -> None:
    """Phrases, a tutorial and puzzles that were left out of the wheel would be missed on the server alone."""
    house = tomllib.loads((PROJECT / "games" / "pyproject.toml").read_text())
    own = tomllib.loads((written / "pyproject.toml").read_text())
    packed = own["tool"]["setuptools"]["package-data"]["stone_heaps"]
    assert {*house["tool"]["setuptools"]["package-data"]["games.gem"], "locale/*/LC_MESSAGES/*"} <= {*packed}


def test_a_new_game_is_short_and_says_what_is_left_to_do(written: Path) -> None:
    code = [file.read_text() for file in (written / "stone_heaps").glob("*.py")]
    assert sum(len(text.splitlines()) for text in code) <= 155
    assert "".join(code).count("TODO") >= 5
    texts = [file.read_text() for file in written.rglob("*") if file.is_file()]
    assert [text for text in texts if "nim" in text.lower()] == []


@pytest.mark.parametrize("name", ["gem", "json", "pytest", "class", "Big", "a", "../x", "games"])
def test_a_game_cannot_have_any_name(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", name, "--into", str(tmp_path)]) == 2
    assert "bad-name" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (written / "README.md").read_text()
    assert main(["new", "stone_heaps", "--into", str(written.parent)]) == 2
    assert "exists" in capsys.readouterr().err
    assert (written / "README.md").read_text() == before


def test_an_installed_game_is_offered_only_where_it_was_admitted(slug: str) -> None:
    assert slug in registry.list_installed()
    assert slug not in registry.GAMES
    with pytest.raises(UnknownGame):
        registry.game(slug)
    registry.admit(["gem", slug])
    assert list(registry.GAMES) == ["gem", slug]
    assert registry.game(slug).rules.meta.title == "Stone heaps"


def test_an_installed_game_is_played_by_its_name(slug: str) -> None:
    match = Match.new(slug, players=["Ana", "Ben"], seed="heaps")
    while not match.is_over:
        _ = match.play_forced() or match.play_bot("easy")
    with pytest.raises(UnknownGame, match=slug):
        Match.new("stone_heap")
    registry.admit([slug])
    assert replay(read_record(str(match.record()))).refusal is None
    assert sorted(match.ranks) == [1, 2]


def test_the_hard_bot_plays_well_where_there_is_nothing_but_rules(slug: str) -> None:
    """Of heaps of 2, 2 and 1 only one move wins: to take the single stone."""
    entry = registry.load(slug)
    state = entry.rules.deal(seats=2, options={}, chance=Chance("heaps", "deal"))
    state = replace(state, heaps=(2, 2, 1), turn=0)
    moves = {bots.choose("hard", entry, state, 0, Chance(f"{number}", "bot")) for number in range(3)}
    assert {entry.rules.write(move) for move in moves} == {"take 1 from 3"}


def test_an_installed_game_is_played_in_the_terminal(
    slug: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["take 1 from 1", "rules", "quit"])
    monkeypatch.setattr("builtins.input", lambda question: next(answers))
    assert main(["play", slug, "--seed", "ab" * 32, "--level", "random"]) == 0
    shown = capsys.readouterr().out
    assert "Heap 1: o o o" in shown
    assert "Whoever takes the last stone" in shown
    assert "Game: stone_heaps 1" in shown


def test_a_stranger_cannot_take_the_name_of_a_game_of_the_house(written: Path) -> None:
    project = written / "pyproject.toml"
    project.write_text(project.read_text().replace("stone_heaps = ", "gem = "))
    with installed(written):
        assert registry.load("gem").package == "games.gem"
        assert registry.list_installed().count("gem") == 1


@pytest.mark.slow
def test_what_is_no_game_is_refused_by_its_name(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The other installed games can still be played."""
    (written / "stone_heaps" / "game.py").write_text("raise RuntimeError('broken inside')\n")
    kept = list(registry.GAMES)
    with installed(written) as slug:
        with pytest.raises(UnknownGame, match="broken inside"):
            registry.admit(["gem", slug])
        assert list(registry.GAMES) == kept
        with pytest.raises(UnknownGame, match="No package is installed"):
            registry.admit(["chess"])
        assert main(["bench", "gem", "--repeat", "1", "--asking", "1"]) == 0
        assert "broken inside" in capsys.readouterr().err


def test_the_distribution_offers_the_games_of_the_house_as_the_tree_does() -> None:
    project = tomllib.loads((PROJECT / "games" / "pyproject.toml").read_text())
    assert project["project"]["entry-points"][GROUP] == OWN
    folders = {path.parent.relative_to(PROJECT) for path in (PROJECT / "games").rglob("__init__.py")}
    # Not what is no package yet, nor what `pip install ./games` has left.
    packages = {".".join(folder.parts) for folder in folders if not {"starter", "build"} & set(folder.parts)}
    assert set(project["tool"]["setuptools"]["packages"]) == packages
    assert "gemgames" not in (PROJECT / "requirements.txt").read_text()


@pytest.mark.slow
def test_the_wheel_works_where_nothing_else_is_installed(tmp_path: Path) -> None:
    """Built from a copy and installed alone, it replays, verifies, plays, and begins a game."""
    if subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "-d",
            str(tmp_path / "tools"),
            "setuptools>=64",
        ],
        capture_output=True,
    ).returncode:
        pytest.skip("setuptools cannot be had here")
    source = tmp_path / "games"
    tracked = subprocess.run(["git", "ls-files", "games"], cwd=PROJECT, capture_output=True, text=True)
    for name in tracked.stdout.splitlines() or pytest.skip("this is no checkout"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((PROJECT / name).read_bytes())
    run = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(source)]
    subprocess.run(run, check=True, capture_output=True)
    [wheel] = tmp_path.glob("gemgames-*.whl")
    venv.create(tmp_path / "empty", with_pip=False)
    python = tmp_path / "empty" / "bin" / "python"
    target = tmp_path / "empty"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "-q",
            f"--python={python}",
            "install",
            "--no-index",
            "--no-deps",
            str(wheel),
        ],
        check=True,
        capture_output=True,
    )

    def call(*arguments: str, typed: str = "") -> str:
        ran = subprocess.run(
            arguments, cwd=target, input=typed, capture_output=True, text=True, env={"PATH": ""}
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    record = (PROJECT / "games" / "gem" / "records" / "three-seats-verifiable.match").read_text()
    gemgames = str(target / "bin" / "gemgames")
    assert "Everything fits" in call(gemgames, "verify", "-", typed=record)
    assert "Alles stimmt" in call(gemgames, "verify", "-", "--language", "de", typed=record)
    assert "GEM" in call(str(python), "-m", "games", "replay", "-", typed=record)
    assert "Game: jewellers 1" in call(
        gemgames, "play", "jewellers", "--level", "random", typed="rules\nquit\n"
    )
    assert "can be played" in call(gemgames, "new", "heaps")
    assert (target / "heaps" / "heaps" / "templates" / "board.svg").exists()
    run[-1] = str(target / "heaps")
    built = subprocess.run(run, check=True, capture_output=True, text=True)
    assert "would be ignored" not in built.stdout + built.stderr
    [wheel] = tmp_path.glob("gemgames_heaps-*.whl")
    assert {"heaps/RULES.md", "heaps/templates/board.svg"} <= set(ZipFile(wheel).namelist())
    code = "from games.match import Match; print(Match.new('florentine', seats=4).draw())"
    assert "Florentine" in call(str(python), "-c", code)
    names = call(
        str(python), "-c", "import games, pathlib; print(*pathlib.Path(games.__file__).parent.rglob('*'))"
    )
    for name in (
        "py.typed",
        "gem/templates/board.svg",
        "gem/RULES.fr.md",
        "gem/records/shared-victory.match",
    ):
        assert name in names
