"""A tutorial in a terminal: one position after the other, each until the right move is found."""

from __future__ import annotations

from games.contract import Message, Translator
from games.prose import wrap
from games.terminal.console import Console
from games.tutorial import Step, Tutorial, Verdict, judge, read_tutorial

HELP = Message(
    """\
Write a move as the examples show it. Words may be shortened.
  board      show the board again
  rules      read the rules of the game
  skip       go on to the next step
  quit       leave the tutorial"""
)


def teach(console: Console) -> bool:
    """Go through the tutorial of the game, and return whether its end was reached.

    A game without one shows its rules.
    """
    tutorial = read_tutorial(console.game, console.language)
    if tutorial is None:
        console.show_rules()
        return True
    console.say(f"{wrap(tutorial.welcome)}\n\n{HELP.text(console.tr)}\n")
    try:
        for step in tutorial.steps:
            if not _teach_step(console, tutorial, step):
                return False
    except (EOFError, KeyboardInterrupt):
        return False
    console.say(f"{wrap(tutorial.farewell)}\n\n  python -m games play {console.game.rules.meta.slug}")
    return True


def _teach_step(console: Console, tutorial: Tutorial, step: Step) -> bool:
    """Ask until the move is right or skipped; return False if the learner leaves."""
    heading = console.tr.gettext("Step {number} of {last}: {title}").format(
        number=tutorial.number(step), last=len(tutorial.steps), title=step.title
    )
    console.say(f"{wrap(heading)}\n\n{wrap(step.text)}\n")
    _show(console, step)
    while True:
        typed = console.ask(f"{wrap(step.task)}\n> ").strip()
        match typed.lower():
            case "quit" | "exit":
                return False
            case "skip":
                return True
            case "board":
                _show(console, step)
            case "help" | "?" | "":
                console.say(HELP.text(console.tr))
            case "rules":
                console.show_rules()
            case _:
                verdict = judge(step, typed)
                console.say(_answer(tutorial, step, verdict, console.tr))
                if verdict.is_right:
                    return True


def _show(console: Console, step: Step) -> None:
    words, tr, names = step.game.words, console.tr, step.names
    console.say(f"{words.draw(step.view, tr, names)}\n\n{words.prompt(step.view, tr, names)}\n")


def _answer(tutorial: Tutorial, step: Step, verdict: Verdict, tr: Translator) -> str:
    """Answer a try: what happened or what is wrong, and for a move the paragraph of the rules."""
    refusal = verdict.refusal.message.text(tr) if verdict.refusal else ""
    if verdict.is_no_move and refusal:
        return f"{wrap(refusal)}\n"
    judged = tr.gettext("Right: {why}") if verdict.is_right else tr.gettext("Not yet: {why}")
    lines = [wrap(judged.format(why=verdict.text or refusal))]
    if verdict.is_right:
        happened = [step.game.words.describe(event, tr, step.names, step.seat) for event in verdict.events]
        lines.insert(0, wrap(" ".join(happened)))
    return "\n".join([*lines, wrap(f"§ {verdict.rule}: {tutorial.quote(verdict.rule)}"), ""])
