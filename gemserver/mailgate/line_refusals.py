"""The reasons for which a line of a mail is refused, or said to be not read."""

from __future__ import annotations

from games.contract import GameError, Message
from gemserver.matches.refusal import Refused

NO_COMMAND = Message("This is no command, and no move in a match of yours. To see what you can write: help")
STOPPED = Message(
    "Five lines in a row were no commands, so nothing below them was read. Send what you meant in a mail of its own."
)
TALK_OR_MOVE = Message(
    "Nothing of it was done: the line below it may be its rest, or a move. Write the words between a line with nothing "
    "but “say” (or “note”) and a line with the word “end”, and the move below an empty line."
)
_SENTENCE = 3
"""Words from which on a line that is no move is taken for a sentence."""


def not_by_mail(word: str) -> Message:
    return Message(
        "“{word}” cannot be done by mail here; look for it on the page of the match.", {"word": word}
    )


def you_wrote(text: str) -> Message:
    return Message("You wrote: {text}", {"text": text})


def no_match() -> Refused:
    """The refusal of a move for a match that is not named, at the address of the account."""
    return Refused(
        "no-match",
        "This address belongs to your account. Answer a mail of the match you mean, or write the match before the "
        "move, like M17: bid 6",
    )


def other_address(code: str) -> Refused:
    """The refusal of a line for another match than the one whose address this is."""
    return Refused(
        "other-match",
        "This address belongs to {code} alone; answer a mail of the other match, or your digest.",
        code=code,
    )


def other_match(line: str) -> Refused:
    """The refusal of a move in a mail that answers one match and went to the address of another."""
    return Refused(
        "other-match",
        "Your mail answers one about another match than the address that it was sent to. Nothing was played; if you "
        "mean the address, write: {line}",
        line=line,
    )


def taken_back() -> Refused:
    return Refused(
        "taken-back",
        "A line below takes this move back, so it was not played. Send the move that you want on its own.",
    )


def second_answer() -> Refused:
    """The refusal of a second answer to a question that this mail has sealed one to."""
    return Refused(
        "second-answer",
        "This mail has already sealed an answer to the same question. To put this one in its place, send it in a mail "
        "of its own.",
    )


def not_reached() -> Refused:
    return Refused(
        "not-reached",
        "A line before this move was refused, so it was not tried. Send it again when it fits.",
    )


def about_sentence(text: str, error: GameError) -> Message | None:
    """Refuse a sentence that is no move as a whole, where the error blames its first word; None for anything else."""
    words = error.message.params.get("candidates")
    if error.code != "unknown-word" or not words or len(text.split()) < _SENTENCE:
        return None
    return Message(
        "This sentence is not understood as a move. Write a move alone on its line; it begins with: {words}.",
        {"words": words},
    )
