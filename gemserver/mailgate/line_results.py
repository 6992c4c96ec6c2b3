"""The line of a mail as its player is shown it, and the results of those that are refused or not understood."""

from __future__ import annotations

from collections.abc import Sequence

from gemserver.inbox.results import LineResult
from gemserver.mailgate.handlers.command_request import NotSure
from gemserver.mailgate.lines.commands import Command, Line, MoveLine, Unread
from gemserver.mailgate.lines.meaning import did_you_mean
from gemserver.mailgate.mail_sentences import mail_sentence
from gemserver.matches.refusal import Refused


def refuse(line: Line, refusal: Refused) -> LineResult:
    """The result of a line that was refused, with what it may have meant."""
    said = mail_sentence(line.name, refusal) if isinstance(line, Command) else refusal.message
    meant = refusal.candidates if isinstance(refusal, NotSure) else ()
    return LineResult(show_line(line), "refused", refusal.code, said, candidates=meant)


def show_line(line: Line) -> str:
    """A line as it is shown to its player."""
    if isinstance(line, Unread):
        return line.text
    if isinstance(line, MoveLine):
        return in_match(line, f"preview {line.text}" if line.preview else line.text)
    # The lines of a plan must not stand alone on a line: quoted in an answer they would be moves.
    if line.name == "plan":
        return in_match(line, f"plan {'; '.join(line.argument.splitlines())}".strip())
    argument, name = " ".join(line.argument.split()), "say" if line.name == "talk" else line.name
    if line.name in ("join", "decline") and argument[1:].partition(" ")[0].isdecimal():
        argument = argument.upper()
    text = f"{name} {argument}".strip()
    return in_match(line, text if len(text) <= 100 else f"{text[:99]}…")


def ask_back(shown: str, moves: Sequence[str]) -> LineResult:
    """The result of a line that may mean one of several moves."""
    return LineResult(shown, "unread", "did-you-mean", did_you_mean(moves), candidates=tuple(moves))


def in_match(line: Line, text: str) -> str:
    """The text behind the code of the match that the line names, if it names one."""
    return f"{line.match}: {text}" if not isinstance(line, Unread) and line.match else text
