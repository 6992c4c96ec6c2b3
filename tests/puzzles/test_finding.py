"""How puzzles are found, and that another search solves them alike."""

from __future__ import annotations

import pytest

from games import registry
from games.contract import Game, GameError
from games.puzzle import FEWEST_MOVES, Puzzle, find_puzzle, list_questions, read_puzzle, read_puzzles
from games.record import MoveLine, Record
from games.registry import game
from games.replay import Replay, begin, play_line
from games.terminal.posing import pose
from tests.games.terminal.keyboard import type_lines
from tests.puzzles.solver import solve


def bring(slug: str) -> list[Puzzle]:
    return read_puzzles(game(slug)) or pytest.skip("the package brings no puzzles")


def reach(puzzle: Puzzle) -> Replay:
    reached = begin(puzzle.record)
    for line in puzzle.record.moves:
        reached = play_line(reached, line, puzzle.record.seed or "")
    return reached


@pytest.mark.slow
@pytest.mark.parametrize("slug", registry.OWN)
def test_a_puzzle_is_found_again_in_its_record(slug: str) -> None:
    puzzle = bring(slug)[-1]
    again = find_puzzle(puzzle.game, puzzle.record, reach(puzzle), puzzle.seat)
    assert again
    assert (again.key, again.best) == (puzzle.key, puzzle.best)


@pytest.mark.slow
@pytest.mark.parametrize("slug", registry.OWN)
def test_another_search_finds_the_same_moves(slug: str) -> None:
    """A sample; `python -m tests.puzzles solve` asks all of them, and for 95 of 100."""
    sample = bring(slug)[:5]
    agreed = [puzzle.is_right(solve(puzzle)) for puzzle in sample]
    assert sum(agreed) >= len(sample) - 1


@pytest.mark.slow
def test_a_position_in_which_two_moves_are_as_good_is_no_puzzle() -> None:
    """The first bid of a match, where many are worth about the same."""
    puzzle = bring("gem")[0]
    start = begin(puzzle.record)
    seat = min(start.game.rules.waiting_on(start.state))
    assert find_puzzle(start.game, puzzle.record, start, seat, simulations=24) is None


def test_too_few_moves_are_no_puzzle() -> None:
    puzzle = bring("gem")[0]
    for reached in list_questions(puzzle.record):
        line = puzzle.record.moves[reached.ply]
        assert isinstance(line, MoveLine)
        rules = reached.game.rules
        if len(list(rules.legal_moves(reached.state, line.seat))) < FEWEST_MOVES:
            assert find_puzzle(reached.game, puzzle.record, reached, line.seat) is None
            return
    pytest.fail("no such position")


def test_no_question_is_asked_where_sealed_orders_are() -> None:
    record = bring("gem")[0].record
    assert list(list_questions(record))
    sealed = record.options.replace("pace=table", "pace=sealed")
    assert sealed != record.options
    assert list(list_questions(Record(**{**_fields(record), "options": sealed}))) == []


def _fields(record: Record) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__slots__}


def test_a_line_of_a_file_is_read_as_it_was_written() -> None:
    puzzle = bring("florentine")[0]
    assert read_puzzle(puzzle.game, puzzle.write()) == puzzle


# In a terminal


@pytest.mark.parametrize("is_right", [True, False])
def test_a_terminal_poses_a_puzzle_and_tells_the_solution(is_right: bool) -> None:
    puzzle = bring("gem")[0]
    console, said = type_lines(puzzle.game, "what?", puzzle.best if is_right else puzzle.worths[1][0])
    assert pose(console, 1) is is_right
    assert puzzle.best not in said[1]
    assert ("Right: " in said[-1]) is is_right
    assert puzzle.best in said[-1]


def test_a_game_without_puzzles_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    entry: Game = game("gem")
    monkeypatch.setattr("games.terminal.posing.read_puzzles", lambda game: [])
    console, _ = type_lines(entry)
    with pytest.raises(GameError, match="no-puzzles"):
        pose(console, 1)
