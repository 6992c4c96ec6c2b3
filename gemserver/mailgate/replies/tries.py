"""Finds the move among the lines of a reply to a position that no match waits for: of a tutorial, or a puzzle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.contract import Game, Seat
from games.phrases.lines import find_core
from games.phrases.phrasing import PhraseReader
from gemserver.mailgate.authority import Authority
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.lines.commands import Command, MoveLine
from gemserver.mailgate.lines.meaning import says_nothing
from gemserver.mailgate.lines.short_words import read_command
from gemserver.matches.said import can_be_read, offer_moves
from gemserver.notify.models import OutboxMessage

_MOST_LOOKED_AT = 10
"""Lines in which parts of moves are looked for, if none of them is one."""


def find_answered(letter: Letter, authority: Authority) -> OutboxMessage | None:
    """The mail of ours to which a person has replied at the address of their account; None for any other mail.

    At the address of a match every line may be a move of the match.
    """
    answered = letter.replied_to
    if authority.seat is not None or answered is None or answered.user_id != authority.user.pk:
        return None
    return None if letter.mail.looks_automatic else answered


def list_tries(letter: Letter) -> Sequence[MoveLine]:
    """The lines that may be a try; none for a mail that has a command, asks for help, or names a match."""
    if any(isinstance(line, Command) or read_command(line.text) == "help" for line in letter.lines):
        return ()
    if any(isinstance(line, MoveLine) and line.match for line in letter.lines):
        return ()
    return [line for line in letter.lines if isinstance(line, MoveLine)]


def find_meant(game: Game, state: Any, seat: Seat, names: Sequence[str], tries: Sequence[MoveLine]) -> str:
    """The text of the line that is meant as the move: one that the game can read, else what is said in other words.

    If there is none, the first line that may mean a move, for its writer to be asked.
    """
    readable = (line.text for line in tries if can_be_read(game, state, seat, line.text))
    likely = (
        line.text for line in tries[:_MOST_LOOKED_AT] if offer_moves(game, state, seat, line.text, names)
    )
    said = next(readable, None) or _find_said(game, state, seat, list(names), tries)
    return said or next(likely, tries[0].text)


def _find_said(game: Game, state: Any, seat: Seat, names: list[str], tries: Sequence[MoveLine]) -> str | None:
    """The one legal move that a line means as people say it."""
    reader = PhraseReader(game, state, seat, False)
    for line in tries:
        is_alone = all(other is line or says_nothing(other, names) for other in tries)
        if find_core(line.text, names) is not None and (
            said := reader.find(line.text, names, is_alone=is_alone)
        ):
            return said
    return None
