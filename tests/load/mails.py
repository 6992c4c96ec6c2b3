"""How many mails a second are received, stored, read and played, beside what receiving alone costs."""

from __future__ import annotations

import smtplib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from email import policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.core.management import call_command

from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.models import InboundEmail
from gemserver.mailgate.receivers import smtp
from gemserver.matches.models import Seat
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.services.processes import free_port

MAILS = 300
"""One move in each of so many matches of two."""

Delivery = tuple[str, str, bytes]
"""Envelope sender, recipient, and the mail."""


class Drain:
    """Takes every mail and forgets it: what SMTP itself costs."""

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """What aiosmtpd calls for each mail."""
        return "250 OK"


def measure(say: Callable[[str], object]) -> None:
    """Print mails per second: taken and forgotten, stored, and played with receipt and turn mail queued."""
    call_command("migrate", verbosity=0)
    mails = list(_write_mails())
    with _draining() as port:
        taken = _send(mails, port)
    with _receiving() as port:
        stored = _send(mails, port)
    if InboundEmail.objects.filter(state="stored").count() != MAILS:
        raise RuntimeError("not every mail was stored")
    began = time.perf_counter()
    processing.process_stored()
    read = time.perf_counter() - began
    if InboundEmail.objects.filter(state="done").count() != MAILS:
        raise RuntimeError("not every mail was played")
    receipts = OutboxMessage.objects.filter(kind="receipt").count()
    if receipts != MAILS:
        raise RuntimeError(f"{MAILS} mails were played, and {receipts} receipts are queued")
    say(f"mails by SMTP, one connection each, one process, PostgreSQL; {MAILS} mails")
    say(f"  taken and forgotten                     {MAILS / taken:7.0f} mails/s")
    say(f"  stored                                  {MAILS / stored:7.0f} mails/s  {taken / stored:.2f}")
    both = stored + read
    say(
        f"  stored, read, played, answered (queued) {MAILS / both:7.0f} mails/s  {stored / both:.2f} of stored"
    )


def _write_mails() -> Iterator[Delivery]:
    players = [make_user("ana"), make_user("ben")]
    for number in range(MAILS):
        match = make_match("gem", players, now=clock.now())
        seat = Seat.objects.select_related("user", "match").get(match=match, is_waiting=True)
        assert seat.user is not None
        mail = EmailMessage()
        mail["From"], mail["To"] = seat.user.email, seat.reply_address
        mail["Subject"] = f"Re: [GEM {match.code}] ana, ben"
        mail["Message-ID"] = f"<{number}@client.example.org>"
        quoted = "".join(f"> line {line} of the mail that is answered\n" for line in range(60))
        mail.set_content(f"bid 0\n\nOn Fri, 6 Mar 2026 at 13:00, Gem server wrote:\n{quoted}")
        yield seat.user.email, seat.reply_address, mail.as_bytes(policy=policy.SMTP)


def _send(mails: Sequence[Delivery], port: int) -> float:
    """Deliver them one after the other, each over a connection of its own; the seconds it took."""
    began = time.perf_counter()
    for sender, recipient, raw in mails:
        with smtplib.SMTP("127.0.0.1", port) as server:
            server.sendmail(sender, [recipient], raw)
    return time.perf_counter() - began


@contextmanager
def _draining() -> Iterator[int]:
    controller = Controller(Drain(), hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


@contextmanager
def _receiving() -> Iterator[int]:
    receiver = smtp.BackgroundReceiver(smtp.listen("127.0.0.1", 0))
    try:
        yield receiver.port
    finally:
        receiver.stop()
