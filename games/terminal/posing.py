"""Puzzles in a terminal: a position, one try, and the solution."""

from __future__ import annotations

from games.contract import GameError, Translator, seat_letter
from games.puzzle import Puzzle, read_puzzles
from games.terminal.console import Console


def pose(console: Console, number: int) -> bool:
    """Pose the puzzle with this number, from 1, that the game brings, and return whether its move was found.

    Raises GameError for a game that brings none.
    """
    game, tr = console.game, console.tr
    puzzles = read_puzzles(game)
    if not puzzles:
        raise GameError("no-puzzles", "{game} brings no puzzles.", game=game.rules.meta.title)
    puzzle = puzzles[(number - 1) % len(puzzles)]
    words, names = game.words, puzzle.record.players
    console.say(f"{words.draw(puzzle.view, tr, names)}\n\n{words.prompt(puzzle.view, tr, names)}\n")
    asked = tr.gettext("You are {name} (seat {seat}). One move is clearly better than all others: which one?")
    console.tell(asked.format(name=names[puzzle.seat], seat=seat_letter(puzzle.seat)))
    try:
        while True:
            typed = console.ask("> ").strip()
            if typed.lower() in ("quit", "exit"):
                return False
            try:
                move = puzzle.read(typed)
            except GameError as refusal:
                console.explain(refusal)
                continue
            console.say(_answer(puzzle, move, tr))
            return puzzle.is_right(move)
    except (EOFError, KeyboardInterrupt):
        return False


def _answer(puzzle: Puzzle, move: str, tr: Translator) -> str:
    """Say whether the move is right, and what a bot expects of those that come closest, of 100."""
    if puzzle.is_right(move):
        said = tr.gettext("Right: {move}.").format(move=move)
    else:
        said = tr.gettext("Not the best: {move}. Better: {best}.").format(move=move, best=puzzle.best)
    return "\n".join([said, "", *(f"{worth:>6.0f}  {text}" for text, worth in puzzle.worths), ""])
