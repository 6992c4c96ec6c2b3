"""The relay that takes our mails: it keeps them like a mailbox, and is out of order when told to be."""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.services.sink import Letter, Sink, read_letter

SLOW_SECONDS = 3
_MESSAGE_ID = re.compile(rb"^Message-ID:\s*(<[^>]+>)", re.IGNORECASE | re.MULTILINE)


class Mood(Enum):
    """Behaviour of the relay."""

    WELL = auto()
    REFUSING = auto()
    """Takes nothing for now."""
    SLOW = auto()
    HANGING = auto()
    """Accepts the connection and never answers."""
    DROPPING = auto()
    """Takes the mail and cuts the connection before it says so: the sender cannot know, and has to send it again."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One mail that was taken; `is_acknowledged`: the sender was told so."""

    message_id: str
    to: str
    raw: bytes
    at: float
    is_acknowledged: bool


class Relay(Sink):
    """Takes every mail; those to `readers` wait in their boxes."""

    def __init__(self) -> None:
        super().__init__()
        self.mood = Mood.WELL
        self.arrivals: dict[str, list[Arrival]] = defaultdict(list)
        """By Message-ID, in order of arrival."""
        self.turned_away = 0
        self._boxes: dict[str, list[Letter]] = {}

    def open_boxes(self, addresses: Iterable[str]) -> None:
        """Keep the turn mails to these addresses until somebody reads them.

        Before their matches begin, where the server runs already. A second time changes nothing.
        """
        for address in addresses:
            self._boxes.setdefault(address, [])

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Hook that aiosmtpd calls for each sender."""
        if self.mood is Mood.REFUSING:
            self.turned_away += 1
            # A mail server that is shutting down, or one that has trouble at the moment.
            return "421 4.3.2 Closing" if self.turned_away % 2 else "451 4.3.0 Try again later"
        if self.mood is Mood.SLOW:
            await asyncio.sleep(SLOW_SECONDS)
        while self.mood is Mood.HANGING:
            await asyncio.sleep(SLOW_SECONDS)
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Hook that aiosmtpd calls for each mail."""
        is_dropping = self.mood is Mood.DROPPING
        self._take(envelope.original_content or b"", envelope.rcpt_tos, not is_dropping)
        if is_dropping:
            assert server.transport is not None
            server.transport.abort()
        return "250 OK"

    def take_turns(self, address: str) -> list[Letter]:
        """Take the unread turn mails to this address; of equal Message-IDs only the first."""
        with self._lock:
            box = self._boxes[address]
            letters, box[:] = box[:], []
        return letters

    def put_back(self, address: str, letter: Letter) -> None:
        """Return a letter that could not be answered yet."""
        with self._lock:
            self._boxes[address].append(letter)

    def received(self) -> dict[str, list[Arrival]]:
        with self._lock:
            return {message_id: list(arrivals) for message_id, arrivals in self.arrivals.items()}

    def _take(self, raw: bytes, recipients: list[str], is_acknowledged: bool) -> None:
        found = _MESSAGE_ID.search(raw)
        assert found, raw[:2000]
        message_id, [address] = found[1].decode(), recipients
        is_first = message_id not in self.arrivals
        is_read = is_first and address in self._boxes and message_id.startswith("<t.")
        letter = read_letter(raw, recipients) if is_read else None
        with self._lock:
            self.arrivals[message_id].append(
                Arrival(message_id, address, raw, time.monotonic(), is_acknowledged)
            )
            if letter:
                self._boxes[address].append(letter)
