"""Takes mail from a mail server on the same machine, by LMTP (RFC 2033): one answer per recipient.

The mail server is trusted: it has judged hosts and senders, and writes its findings into `Authentication-Results`. So
this listens on a socket of the file system or on the loopback interface, nowhere else.
"""

from __future__ import annotations

import asyncio
import socket
import stat
from pathlib import Path

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import Envelope, Session

from gemserver.lib.process.loopback import is_loopback
from gemserver.mailgate.receivers import smtp
from gemserver.mailgate.receivers.rates import SharedLimit
from gemserver.mailgate.receivers.smtp import Clerk, Conversation

SOCKET_MODE = 0o660


class LocalConversation(LMTP, Conversation):
    """One connection of the mail server."""

    _answers_due = 0

    async def push(self, status: str | bytes) -> None:
        """Answer once for every recipient after the data (§4.2), even if aiosmtpd refuses the mail as a whole."""
        line = status.decode("ascii", "replace") if isinstance(status, bytes) else status
        if line.startswith("354 "):
            assert self.envelope is not None
            self._answers_due = len(self.envelope.rcpt_tos)
        elif self._answers_due:
            if "\r\n" not in line:
                line = "\r\n".join([line] * self._answers_due)
            self._answers_due = 0
        await super().push(line)


class LocalClerk(Clerk):
    """Stores for each recipient separately; no stranger connects, so connections and mails need no counting."""

    max_recipients = 100
    source = "lmtp"

    def __init__(self) -> None:
        super().__init__()
        self.per_host = 0
        self._connections = self._senders = SharedLimit("local", 0, 3600)

    async def handle_DATA(self, server: Conversation, session: Session, envelope: Envelope) -> str:
        """One answer per accepted recipient, in their order; one that failed is retried alone."""
        answers = [await self.store(address, envelope, {}) for address in envelope.rcpt_tos]
        return "\r\n".join(answers)


class NotLocal(ValueError):
    """An address at which anybody on the network could hand over mail with forged findings about its sender."""


def listen(address: str) -> socket.socket:
    """Open the socket at a path, or at `host:port` of the loopback interface.

    Raises NotLocal for another interface, OSError if it cannot be had.
    """
    host, colon, port = address.rpartition(":")
    if "/" in address or not colon:
        return _listen_at(Path(address))
    host = host.strip("[]")
    if not is_loopback(host):
        raise NotLocal(address)
    return smtp.listen(host, int(port))


async def serve(listener: socket.socket, stopping: asyncio.Event) -> None:
    """Answer the connections of `listener` until `stopping` is set."""
    await smtp.serve(listener, stopping, clerk=LocalClerk(), protocol=LocalConversation)


def _listen_at(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if path.exists() and stat.S_ISSOCK(path.stat().st_mode) and not _is_answered(path):
            path.unlink()  # left over from a process that was killed
        listener.bind(str(path))
        path.chmod(SOCKET_MODE)
        listener.listen(100)
    except OSError:
        listener.close()
        raise
    return listener


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(path)) == 0
