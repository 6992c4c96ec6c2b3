"""A tutorial in a terminal: one position after the other, each until the right move is found.

Reading and writing are passed in, as in `games.terminal`.
"""

from __future__ import annotations

from games.contract import Game, GameError
from games.match import ENGLISH
from games.prose import wrap
from games.terminal import Ask, Say
from games.tutorial import Step, Tutorial, Verdict, judge, read_tutorial

HELP = """\
Write a move as the examples show it. Words may be shortened.
  board      show the board again        skip   go on to the next step
  rules      read the rules of the game  quit   leave the tutorial"""


def teach(game: Game, language: str, ask: Ask, say: Say) -> bool:
    """Go through the tutorial of the game, and return whether its end was reached.

    A game without one shows its rules.
    """
    tutorial = read_tutorial(game, language)
    if tutorial is None:
        say(game.read_rules(language))
        return True
    say(f"{wrap(tutorial.welcome)}\n\n{HELP}\n")
    try:
        for step in tutorial.steps:
            if not _teach_step(tutorial, step, ask, say):
                return False
    except (EOFError, KeyboardInterrupt):
        return False
    say(f"{wrap(tutorial.farewell)}\n\n  python -m games play {game.rules.meta.slug}")
    return True


def _teach_step(tutorial: Tutorial, step: Step, ask: Ask, say: Say) -> bool:
    """Ask until the move is right or skipped; return False if the learner leaves."""
    number = f"{tutorial.number(step)} of {len(tutorial.steps)}"
    say(f"Step {number}: {step.title}\n\n{wrap(step.text)}\n")
    _show(step, say)
    while True:
        typed = ask(f"{wrap(step.task)}\n> ").strip()
        match typed.lower():
            case "quit" | "exit":
                return False
            case "skip":
                return True
            case "board":
                _show(step, say)
            case "help" | "?" | "":
                say(HELP)
            case "rules":
                say(tutorial.game.read_rules(tutorial.language))
            case _:
                verdict = judge(step, typed)
                say(_answer(tutorial, step, verdict))
                if verdict.is_right:
                    return True


def _show(step: Step, say: Say) -> None:
    words, names = step.game.words, step.names
    say(f"{words.draw(step.view, ENGLISH, names)}\n\n{words.prompt(step.view, ENGLISH, names)}\n")


def _answer(tutorial: Tutorial, step: Step, verdict: Verdict) -> str:
    """Answer a try: what happened or what is wrong, and for a move the paragraph of the rules."""
    if verdict.is_no_move and verdict.refusal:
        return f"{wrap(_explain(verdict.refusal))}\n"
    names = step.names
    said = verdict.text or (_explain(verdict.refusal) if verdict.refusal else "")
    lines = [wrap(f"{'Right' if verdict.is_right else 'Not yet'}: {said}")]
    if verdict.is_right:
        happened = [step.game.words.describe(event, ENGLISH, names, step.seat) for event in verdict.events]
        lines.insert(0, wrap(" ".join(happened)))
    return "\n".join([*lines, wrap(f"§ {verdict.rule}: {tutorial.quote(verdict.rule)}"), ""])


def _explain(error: GameError) -> str:
    return error.message.text(ENGLISH)
