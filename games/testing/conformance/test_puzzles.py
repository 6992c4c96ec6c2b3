"""The puzzles of a package, where it has any: each follows from its record and the rules, and says what it must."""

from __future__ import annotations

import pytest

from games.puzzle import FEWEST_MOVES, MARGIN, Puzzle, read_puzzles
from games.registry import game
from games.replay import begin, play_line


@pytest.fixture
def puzzles(slug: str) -> list[Puzzle]:
    found = read_puzzles(game(slug))
    if not found:
        pytest.skip("the package brings no puzzles")
    return found


def test_every_puzzle_is_another_one(puzzles: list[Puzzle]) -> None:
    assert len({puzzle.key for puzzle in puzzles}) == len(puzzles)


def test_every_puzzle_asks_a_seat_that_has_a_choice(puzzles: list[Puzzle]) -> None:
    for puzzle in puzzles:
        rules = puzzle.game.rules
        assert puzzle.seat in rules.waiting_on(puzzle.state)
        assert rules.forced_move(puzzle.state) is None
        assert len(list(rules.legal_moves(puzzle.state, puzzle.seat))) >= FEWEST_MOVES


def test_its_position_is_what_the_seat_can_know_of_the_real_one(puzzles: list[Puzzle]) -> None:
    for puzzle in puzzles:
        reached = begin(puzzle.record, puzzle.game)
        for line in puzzle.record.moves:
            reached = play_line(reached, line, puzzle.record.seed or "")
        assert puzzle.game.rules.view(reached.state, puzzle.seat) == puzzle.view


def test_the_best_move_leads_all_others_by_the_margin(puzzles: list[Puzzle]) -> None:
    for puzzle in puzzles:
        (best, worth), (_, second), *_ = puzzle.worths
        assert best == puzzle.best
        assert puzzle.is_right(best)
        assert not any(puzzle.is_right(move) for move, _ in puzzle.worths[1:])
        assert worth - second >= MARGIN


def test_a_puzzle_is_read_as_it_was_written(puzzles: list[Puzzle]) -> None:
    for puzzle in puzzles:
        assert puzzle.read(puzzle.best) == puzzle.best
        assert puzzle.record.game == puzzle.game.rules.meta.slug
        assert puzzle.record.version == puzzle.game.rules.meta.version
