"""Analysis of records: a blunder is found, luck is not blamed, and what is seen in it leaks nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from games.__main__ import main
from games.analysis import analyse, compare, summarise
from games.chance import Chance
from games.contract import GameError
from games.match import Match
from games.record import MoveLine, read_record, write_record
from games.registry import OWN


def play(slug: str, *levels: str, seed: str = "a") -> Match:
    """A match between bots of these levels, as if people had played it."""
    match = Match.new(slug, seats=len(levels), seed=f"{seed:0>64}")
    while not match.is_over:
        if not match.play_forced():
            match.play_bot(levels[match.turn or 0])
    return match


def as_people(match: Match) -> str:
    """The record without the words that say who moved."""
    return str(match.record()).replace(" ; bot", "")


@pytest.mark.slow
def test_random_moves_lose_more_than_those_of_an_easy_bot() -> None:
    found = list(analyse(read_record(as_people(play("jewellers", "easy", "random"))), simulations=12))
    (_, easy), (choices, at_random) = summarise(found, 2)
    assert choices > 5
    assert at_random > easy
    assert all(0 <= each.loss <= 100 and 0 <= each.worth <= 100 for each in found)


@pytest.mark.slow
@pytest.mark.parametrize("slug", OWN)
def test_every_game_is_analysed_and_the_same_seed_says_the_same(slug: str) -> None:
    match = play(slug, "random", "random")
    lines = as_people(match).splitlines()
    record = read_record("\n".join(line for line in lines if not line.startswith(("Result:", "Ending:"))))
    first = [each for each, _ in zip(analyse(record, simulations=2), range(4), strict=False)]
    again = [each for each, _ in zip(analyse(record, simulations=2), range(4), strict=False)]
    assert first == again
    assert first


def test_moves_of_bots_and_the_clock_are_nobodys_choice() -> None:
    text = str(play("gem", "random", "random").record())
    assert " ; bot" in text
    assert list(analyse(read_record(text), simulations=1)) == []
    assert list(analyse(read_record(text.replace(" ; bot", " ; clock")), simulations=1)) == []


def test_a_seat_is_judged_by_what_it_could_know() -> None:
    """The others' hidden cards, changed for other possible ones, change nothing."""
    match = Match.new("gemessengers", seats=2, seed="b" * 64)
    rules, state = match.game.rules, match.state
    seat = match.turn or 0
    other = rules.resample(state, seat, Chance("c" * 64, "another"))
    said = [compare(match.game, each, seat, Chance("d" * 64, "same"), 3) for each in (state, other)]
    assert {rules.write(move): worth for move, worth in said[0].items()} == {
        rules.write(move): worth for move, worth in said[1].items()
    }


@pytest.mark.slow
def test_the_command_names_the_worst_moves_and_each_players_mean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.match"
    file.write_text(as_people(play("gem", "easy", "random")))
    assert main(["analyse", str(file), "--simulations", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12
    assert lines[-1].endswith("lost on average")
    assert main(["analyse", str(file), "--simulations", "1", "--all", "--language", "de"]) == 0
    *judged, mean = capsys.readouterr().out.splitlines()
    assert len(judged) > 10
    assert re.search(r" [AB]  - *\d+,\d  ", judged[0])
    assert re.search(r": \d+ Entscheidungen, im Mittel \d+,\d verloren$", mean)


@pytest.mark.parametrize(
    ("one_is_a_person", "said"), [(False, "No person chose a move"), (True, "(B): no move")]
)
def test_the_command_says_that_bots_are_not_judged(
    one_is_a_person: bool, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It said that they had 0 choices and had lost nothing."""
    file = tmp_path / "bots.match"
    record = play("gem", "random", "random").record()
    moves = record.moves
    if one_is_a_person:
        first = next(move for move in moves if isinstance(move, MoveLine) and move.seat == 0)
        moves = tuple(replace(move, played_by="") if move is first else move for move in moves)
    file.write_text(write_record(replace(record, moves=moves)))
    assert main(["analyse", str(file), "--simulations", "1"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert said in last
    assert "0 choices" not in last


def test_a_line_that_cannot_be_played_ends_it() -> None:
    text = as_people(play("gem", "random", "random"))
    with pytest.raises(GameError):
        list(analyse(read_record(text.replace(" bid ", " bid 9", 1)), simulations=1))


def test_a_line_that_cannot_be_played_is_named_before_any_move_is_judged(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All lines above it were judged first, for minutes, and then nothing was said of them."""
    monkeypatch.setattr("games.analysis.judge_line", None)
    record = read_record(as_people(play("gem", "random", "random")))
    file = tmp_path / "bad.match"
    last = MoveLine(0, "bid 99", ply=len(record.moves) + 1)
    file.write_text(write_record(replace(record, moves=(*record.moves, last), result=None, ending=None)))
    assert main(["analyse", str(file), "--simulations", "1"]) == 1
    assert capsys.readouterr().err.startswith("line ")
