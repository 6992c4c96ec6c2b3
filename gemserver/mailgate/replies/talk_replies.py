"""Reads a reply to a mail of table talk: prose in it is said to the table (mail-requirements.md T8).

Nothing is published that may have been meant for us, or for nobody: no line that is a command or a move, none that
could be meant as a move, nothing that looks like a signature, like the head of a quoted mail or like our own words.
Whoever writes such things beside their talk is asked to say it with `say`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from games.contract import Message
from gemserver.inbox.results import LineResult
from gemserver.lib.text.fingerprint import words_of
from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.authority import Authority
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.lines.commands import Command, Line, MoveLine
from gemserver.mailgate.lines.meaning import moves_meant, reading_error
from gemserver.mailgate.lines.short_words import is_absence
from gemserver.mailgate.reading.text_lines import bare
from gemserver.matches import selectors
from gemserver.matches.models import Seat

MOST_LINES = 40
MOST_REPEATED = 6
"""Words in a row that a talker may share with a mail of ours."""
_LONGEST_OFFER = 200
"""Characters of a text that is offered as a ready reply."""
_LONGEST_NAME = 4
"""Words of a line that may belong to a signature."""

_PRIVATE = Pattern(
    r"[\w.+-]{1,64}@[\w-]{1,63}\.|\bwww\.|(?:\+|\b0|\()\d(?:[ ()./-]{0,2}\d){5,14}"
    r"|\b(?:tel|tél|phone|mobile|mobil|fax|handy|portable)\b ?[.:]",
    re.IGNORECASE,
)
_HEAD = Pattern(
    r"\W{0,3}(?:from|sent|to|cc|subject|date|von|gesendet|an|betreff|datum|de|envoyé|à|objet|ref) ?:|-- \S",
    re.IGNORECASE,
)
_ENDS = ".!?…:;)"

_NOT_SAID = Message(
    "Nothing was said and nothing was played: these words may be a move, a signature, or text of ours. To say "
    "something to the table, begin the line with the word say; to play, write the move alone."
)


def read_talk(letter: Letter, authority: Authority) -> Command | LineResult | None:
    """Return what a reply to a mail of table talk says to the table, or the question what it means.

    None for a mail that is read like any other: it answers no talk, it has a command or a move in notation, or it may
    act for nobody (`Authority.is_binding`).
    """
    seat, mail = authority.seat, letter.replied_to
    if mail is None or mail.kind != "talk" or mail.user_id != authority.user.pk or not authority.is_binding:
        return None
    if seat is None or (mail.data["match"], mail.data["seat"]) != (seat.match_id, seat.index):
        return None
    text = _without_signature(letter.typed)
    if letter.mail.looks_automatic or not text or any(_is_asked_for(line, seat) for line in letter.lines):
        return None
    meant = [move for line in letter.lines if isinstance(line, MoveLine) for move in _moves(line, seat)]
    is_prose = all(isinstance(line, MoveLine) for line in letter.lines)
    is_private = _seems_private(text, letter)
    if is_prose and not meant and not is_private:
        return Command("talk", text)
    offer = f"say {bare(text)}"
    can_offer = not is_private and "\n" not in text and len(offer) <= _LONGEST_OFFER
    moves = list(dict.fromkeys(meant))[:2]
    return LineResult(
        "", "unread", "talk-or-move", _NOT_SAID, candidates=(*moves, *([offer] if can_offer else []))
    )


def _is_asked_for(line: Line, seat: Seat) -> bool:
    """True for a command, and for a move in notation."""
    if isinstance(line, Command):
        return True
    if not isinstance(line, MoveLine):
        return False
    if line.preview or line.match or line.prompt_ply is not None:
        return True
    return seat.match.is_running and reading_error(seat.match, seat, line.text) is None


def _moves(line: MoveLine, seat: Seat) -> Sequence[str]:
    return moves_meant(seat.match, seat, line, selectors.names(seat.match)) if seat.match.is_running else ()


def _without_signature(typed: str) -> str:
    """The text without a last paragraph that could be names and titles, and without a name below its last sentence."""
    lines = typed.strip("\n").split("\n")
    start = next((at + 1 for at in range(len(lines) - 1, -1, -1) if not bare(lines[at])), 0)
    if start and all(map(_is_name_like, lines[start:])):
        lines = lines[:start]
    elif len(lines) > 1 and _is_name_like(lines[-1]) and bare(lines[-2])[-1:] in _ENDS:
        lines = lines[:-1]
    return "\n".join(lines).strip()


def _is_name_like(line: str) -> bool:
    words = bare(line).lstrip("-–— ").split()
    return (
        len(words) <= _LONGEST_NAME
        and all(not word[0].islower() for word in words)
        and line[-1:] not in _ENDS
    )


def _seems_private(text: str, letter: Letter) -> bool:
    lines = [bare(line) for line in text.split("\n")]
    return (
        len(lines) > MOST_LINES
        or is_absence(text)
        or any(_PRIVATE.search(line[:400]) or _HEAD.match(line[:400]) for line in lines)
        or _repeats_ours(text, letter)
    )


def _repeats_ours(text: str, letter: Letter) -> bool:
    """True if more words in a row stand in the mails that are answered than people repeat by hand."""
    words = words_of(text)
    stretches = (stretch for each in letter.quoted_words() for stretch in each.stretches(words))
    return any(end - start > MOST_REPEATED for start, end in stretches)
