"""Puzzles in a terminal: a position, one try, and the solution.

Reading and writing are passed in, as in `games.terminal`.
"""

from __future__ import annotations

from games.contract import Game, GameError, seat_letter
from games.match import ENGLISH
from games.prose import wrap
from games.puzzle import Puzzle, read_puzzles
from games.terminal import Ask, Say


def pose(game: Game, number: int, ask: Ask, say: Say) -> bool:
    """Pose the puzzle with this number, from 1, that the game brings, and return whether its move was found.

    Raises GameError for a game that brings none.
    """
    puzzles = read_puzzles(game)
    if not puzzles:
        raise GameError("no-puzzles", "{game} brings no puzzles.", game=game.rules.meta.title)
    puzzle = puzzles[(number - 1) % len(puzzles)]
    words, names = game.words, puzzle.record.players
    say(f"{words.draw(puzzle.view, ENGLISH, names)}\n\n{words.prompt(puzzle.view, ENGLISH, names)}\n")
    say(
        wrap(
            f"You are {names[puzzle.seat]} (seat {seat_letter(puzzle.seat)}). One move is clearly better than all "
            "others: which one?"
        )
    )
    try:
        while True:
            typed = ask("> ").strip()
            if typed.lower() in ("quit", "exit"):
                return False
            try:
                move = puzzle.read(typed)
            except GameError as error:
                say(wrap(error.message.text(ENGLISH)))
                continue
            say(_answer(puzzle, move))
            return puzzle.is_right(move)
    except (EOFError, KeyboardInterrupt):
        return False


def _answer(puzzle: Puzzle, move: str) -> str:
    """Say whether the move is right, and what a bot expects of those that come closest, of 100."""
    said = f"Right: {move}." if puzzle.is_right(move) else f"Not the best: {move}. Better: {puzzle.best}."
    return "\n".join([said, "", *(f"{worth:>6.0f}  {text}" for text, worth in puzzle.worths), ""])
