"""The post: takes the server's mails, checks each letter as it passes, and puts it into mailboxes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import ClassVar

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import mail_ids
from gemserver.matches.models import Match, Seat, Sitting
from gemserver.notify.models import OutboxMessage

DAY = timedelta(days=1)
KINDS = {
    "t": "turn",
    "m": "reminder",
    "d": "digest",
    "s": "start",
    "o": "time ran out",
    "f": "end",
    "h": "holiday",
    "r": "seat given away",
    "a": "answer",
    "q": "sitter asked",
    "w": "sitter's answer",
    "v": "sitting over",
    "y": "left to a bot",
}
"""Kinds of mail by the first letter of their Message-IDs."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail in somebody's mailbox."""

    at: datetime
    to: str
    kind: str
    message_id: str
    reply_to: str
    subject: str
    text: str
    size: int
    """Octets, with the picture."""

    def offers(self) -> dict[str, list[str]]:
        """The moves that it offers, by match code; "" if there is only one match."""
        found: dict[str, list[str]] = defaultdict(list)
        for code, move in re.findall(r"^To play, write: +(?:(M\d+): )?(.+)$", self.text, re.MULTILINE):
            found[code].append(move)
        return found


@dataclass
class Post:
    """Everybody's mailbox; `problems` lists the faults of letters."""

    boxes: dict[str, list[Letter]] = field(default_factory=lambda: defaultdict(list))
    sent: list[Letter] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    is_away: Callable[[], bool] = lambda: False
    has_letters: bool = False
    """True if players have written something that the server has not read."""
    _ids: Counter[str] = field(default_factory=Counter)

    def take(self, message: EmailMessage) -> None:
        """Deliver one mail. Raises ConnectionRefusedError while nobody is there."""
        if self.is_away():
            raise ConnectionRefusedError("the relay is away")
        message_id = message.extra_headers["Message-ID"]
        letter = Letter(
            at=clock.now(),
            to=message.to[0],
            kind=KINDS.get(message_id[1], "other"),
            message_id=message_id,
            reply_to=message.reply_to[0],
            subject=message.subject,
            text=str(message.body),
            size=len(message.message().as_bytes()),
        )
        self._look_at(letter)
        self.sent.append(letter)
        self.boxes[letter.to].append(letter)

    def collect(self, address: str) -> list[Letter]:
        """Take the new letters of this box."""
        return self.boxes.pop(address, [])

    def _look_at(self, letter: Letter) -> None:
        self._ids[letter.message_id] += 1
        if self._ids[letter.message_id] > 1:
            self._complain(letter, "came twice")
        if letter.kind in {"turn", "reminder"}:
            self._require_present([mail_ids.read_message_id(letter.message_id)], letter)
        if letter.kind == "digest":
            self._require_present(mail_ids.find_ref_lines(letter.text), letter)

    def _require_present(self, refs: Sequence[mail_ids.MailRef | None], letter: Letter) -> None:
        """Check that each turn in the letter is one that its reader is asked for at this moment."""
        if not refs:
            self._complain(letter, "is about no turn")
        for ref in refs:
            asked = ref and Seat.objects.filter(
                match=ref.match,
                match__status=Match.Status.RUNNING,
                index=ref.seat,
                is_waiting=True,
                prompt_ply=ref.turn,
            )
            seat = asked.select_related("user").first() if asked else None
            if seat is None and not _tells_of_start(letter):
                self._complain(letter, f"is about a turn that has passed: {ref}")
            elif seat and letter.to != reader_of(seat, letter.at).email:
                self._complain(letter, f"is about a turn that is another's to play: {ref}")

    def _complain(self, letter: Letter, what: str) -> None:
        self.problems.append(f"{letter.at:%d %b %H:%M}: a mail ({letter.kind}) to {letter.to} {what}")


def _tells_of_start(letter: Letter) -> bool:
    """True if the letter tells that a match begins, and asks for no move: it goes out though the first was answered."""
    row = OutboxMessage.objects.get(message_id=letter.message_id)
    return bool(row.data.get("starts")) and not letter.offers()


def reader_of(seat: Seat, at: datetime) -> User:
    """The user who is to play this seat at this instant: its player, or a sitter."""
    assert seat.user
    for sitting in seat.sittings.filter(player=seat.user).select_related("sitter"):
        if sits(sitting, at):
            return sitting.sitter
    return seat.user


def sits(sitting: Sitting, at: datetime) -> bool:
    """True if the sitter may play then, by agreement, days and return."""
    if sitting.agreed_at is None:
        return False
    return (
        max(sitting.agreed_at, sitting.starts_at) <= at < min(sitting.ended_at or at + DAY, sitting.ends_at)
    )


class Relay(BaseEmailBackend):
    """Django's mail backend that hands mails to the post."""

    post: ClassVar[Post]

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        for message in messages:
            self.post.take(message)
        return len(messages)
