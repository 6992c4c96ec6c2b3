"""Puzzles in a terminal: a position, one try, and the solution."""

from __future__ import annotations

from secrets import randbelow

from games.contract import GameError, Translator, seat_letter
from games.puzzle import Puzzle, read_puzzles
from games.terminal.console import Console


def pose(console: Console, number: int | None) -> bool:
    """Pose the puzzle with this number, from 1, that the game brings, and return whether its move was found.

    None: any. Raises GameError (`no-puzzles`, `no-such-puzzle`).
    """
    game, tr = console.game, console.tr
    puzzles = read_puzzles(game)
    if not puzzles:
        raise GameError("no-puzzles", "{game} brings no puzzles.", game=game.rules.meta.title)
    if number is None:
        number = 1 + randbelow(len(puzzles))
    if not 1 <= number <= len(puzzles):
        raise GameError(
            "no-such-puzzle",
            "{game} has no puzzle {number}. Its puzzles have the numbers 1 to {most}.",
            game=game.rules.meta.title,
            number=number,
            most=len(puzzles),
        )
    puzzle = puzzles[number - 1]
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
