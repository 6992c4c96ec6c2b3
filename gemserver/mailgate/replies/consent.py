"""Finds the question for consent that a mail answers, and the yes or no in it.

Undos, days off of a table, sitting and going on for a player of a season are asked of people by mail. A line that is
only a yes or a no answers the very question whose mail it replies to (`In-Reply-To`), and no other that may be open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from games.contract import Message
from gemserver.accounts.models import User
from gemserver.events.models import Replacement
from gemserver.events.replacements import open_questions
from gemserver.inbox.results import LineResult
from gemserver.lib import clock
from gemserver.lib.text.mail_address import comparable
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.lines.commands import Command, Line, MoveLine
from gemserver.mailgate.lines.meaning import says_nothing
from gemserver.mailgate.lines.short_words import read_answer
from gemserver.matches import sitters
from gemserver.matches.actions.play import answer_proposal
from gemserver.matches.models import Holiday, Seat, Sitting, Undo
from gemserver.notify.models import OutboxMessage

WORDS = ("agree", "refuse")

_NOTHING_SETTLED = Message(
    "Nothing was settled. If this is meant to answer the question, write one word on a line of its own: agree or refuse"
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question for consent, and whom the mail with it went to."""

    about: Undo | Holiday | Sitting | Replacement
    seat: Seat | None
    """None for a question about a season as a whole."""
    address: str

    @property
    def is_open(self) -> bool:
        """True if it still waits for an answer."""
        if isinstance(self.about, Sitting):
            waiting = sitters.current(clock.now()).filter(pk=self.about.pk, agreed_at=None, ended_at=None)
            return waiting.exists()
        if isinstance(self.about, Replacement):
            return open_questions(clock.now()).filter(pk=self.about.pk).exists()
        return answer_proposal.is_open(self.about)

    def was_put_to(self, address: str) -> bool:
        """True if its mail went to this very address."""
        return comparable(self.address) == comparable(address)


def find_question(letter: Letter, user: User, seat: Seat | None) -> Question | None:
    """Find the question to this player that the mail replies to by its header; None if it replies to anything else.

    `seat`: the one that the mail was sent to, if to one; it must be that of the question.
    """
    mail = letter.replied_to
    if mail is None or mail.user_id != user.pk:
        return None
    if mail.kind == "replace-asked" and seat is None:
        question = Replacement.objects.filter(pk=mail.data["replacement"]).first()
        return Question(question, None, mail.to) if question else None
    if mail.kind not in ("undo", "holiday", "sit-asked"):
        return None
    seats = Seat.objects.select_related("match", "user")
    asked = seats.filter(match=mail.data["match"], index=mail.data["seat"]).first()
    about = _read_about(mail)
    if asked is None or about is None or (seat is not None and seat.pk != asked.pk):
        return None
    return Question(about, asked, mail.to)


def _read_about(mail: OutboxMessage) -> Undo | Holiday | Sitting | None:
    match mail.kind:
        case "undo":
            return Undo.objects.select_related("match").filter(pk=mail.data["undo"]).first()
        case "holiday":
            return Holiday.objects.select_related("match").filter(pk=mail.data["holiday"]).first()
    sittings = Sitting.objects.select_related("player", "sitter", "seat__match")
    return sittings.filter(pk=mail.data["about"]).first()


def read_consent(lines: Sequence[Line], names: Iterable[str]) -> Sequence[Line]:
    """Return the lines with `agree` or `refuse` for a line that says just that.

    Only if nothing but commands and courtesy stands beside it: more may be said in prose that takes it back.
    """
    known = list(names)
    answers = {
        place: answer for place, line in enumerate(lines) if (answer := _answer(line, known)) is not None
    }
    others = [line for place, line in enumerate(lines) if place not in answers]
    if len(set(answers.values())) != 1 or not all(
        isinstance(line, Command) or says_nothing(line, known) for line in others
    ):
        return lines
    first = min(answers)
    word = Command(WORDS[0] if answers[first] else WORDS[1])
    return [
        word if place == first else line
        for place, line in enumerate(lines)
        if place <= first or line in others
    ]


def _answer(line: Line, names: Sequence[str]) -> bool | None:
    if not isinstance(line, MoveLine) or line.match or line.prompt_ply is not None or line.preview:
        return None
    return read_answer(line.text, names)


def offer_words() -> LineResult:
    """The result that offers both answers to somebody who has written something else."""
    return LineResult("", "unread", "agree-or-refuse", _NOTHING_SETTLED, candidates=WORDS)
