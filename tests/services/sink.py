"""The other end of every outgoing mail: an SMTP server that keeps its mails."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.services.processes import free_port


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail as its reader gets it."""

    message_id: str
    to: str
    subject: str
    reply_to: str
    text: str
    in_reply_to: str = ""

    @property
    def tells_the_start(self) -> bool:
        """True if it says that the match has begun: a mail of its own, or the first turn mail."""
        return "has begun" in self.text[:400]

    @property
    def kind(self) -> str:
        """The first letter of our Message-IDs: s(tarted), t(urn), a(nswer), f(inished) …

        The mail of the start to somebody who has moved since asks for nothing, though it would have told a turn: s.
        """
        letter = self.message_id.removeprefix("<")[:1]
        return "s" if letter == "t" and self.tells_the_start and not self.offered_moves else letter

    @property
    def offered_moves(self) -> list[str]:
        """The moves that the mail offers."""
        return re.findall(r"^To play, write: +(.+)$", self.text, re.MULTILINE)

    @property
    def page(self) -> str:
        """The path of the page that the mail names."""
        found = re.search(r"^On the web: https://[^/]+(/\S+)$", self.text, re.MULTILINE)
        assert found, self.text
        return found[1]


class Sink:
    """The server; `letters` grows while it runs."""

    def __init__(self) -> None:
        self.letters: list[Letter] = []
        self._lock = threading.Lock()
        self.port = free_port()
        self._controller: Controller | None = None

    def start(self) -> None:
        """Take mails, perhaps again."""
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    def stop(self) -> None:
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Hook that aiosmtpd calls for each mail."""
        letter = read_letter(envelope.original_content or b"", envelope.rcpt_tos)
        with self._lock:
            self.letters.append(letter)
        return "250 OK"

    def letters_to(self, address: str) -> list[Letter]:
        """The different mails to one address, in order of arrival: of equal Message-IDs only the first."""
        with self._lock:
            return list(
                {letter.message_id: letter for letter in self.letters if letter.to == address}.values()
            )


def read_letter(raw: bytes, recipients: list[str]) -> Letter:
    message = cast(EmailMessage, message_from_bytes(raw, policy=policy.default))
    body = message.get_body(("plain",))
    assert body is not None, raw
    assert len(recipients) == 1, recipients
    return Letter(
        message_id=str(message["Message-ID"]),
        to=recipients[0],
        subject=str(message["Subject"]),
        reply_to=str(message["Reply-To"]),
        text=body.get_content().replace("\r\n", "\n"),
        in_reply_to=str(message["In-Reply-To"] or ""),
    )
