"""Mails per second that are received, stored, read and played, beside receiving, storing and reading alone."""

from __future__ import annotations

import smtplib
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email import policy
from email.message import EmailMessage
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.lines.commands import read_lines
from gemserver.mailgate.parse import parse
from gemserver.mailgate.receivers import smtp
from gemserver.mailgate.reply import extract_text
from gemserver.matches.models import Seat
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.load.drain import draining
from tests.load.figures import Figure, Say

State = InboundEmail.State

MAILS, ROUNDS = 50, 3
"""One move in each of this many matches of two, in each round."""

Delivery = tuple[str, str, bytes]
"""Envelope sender, recipient, and the mail."""


def measure(say: Say, folder: Path) -> list[Figure]:
    """Mails per second: taken and discarded, stored and read with nothing done, and played and answered."""
    call_command("migrate", verbosity=0)
    played: list[float] = []
    read: list[float] = []
    taken: list[float] = []
    players = [make_user("ana"), make_user("ben")]
    with draining(folder) as nowhere, _receiving() as port:
        for number in range(ROUNDS):
            mails = list(_write_mails(players, f"p{number}"))
            others = list(_write_mails(players, f"r{number}"))
            taken.append(MAILS / _send(mails, nowhere))
            began = time.perf_counter()
            _send(mails, port)
            processing.process_stored()
            played.append(MAILS / (time.perf_counter() - began))
            began = time.perf_counter()
            _send(others, port)
            _read_only()
            read.append(MAILS / (time.perf_counter() - began))
    _check(say)
    say(f"SMTP alone, each mail over a connection of its own: {statistics.median(taken):.0f} mails/s")
    return [
        Figure(
            "mails/s by SMTP, read, played, answered",
            statistics.median(played),
            "read in the same way, no game",
            statistics.median(read),
            "/s",
            "at least",
            0.5,
        )
    ]


def _read_only() -> None:
    """Do what a server without a game would do with stored mail: claim, read the lines, note that it was read."""
    while pk := processing.claim(clock.now()):
        row = InboundEmail.objects.get(pk=pk)
        mail = parse(bytes(row.raw or b""), max_size=settings.MAIL_SIZE_LIMIT)
        lines = read_lines(extract_text(mail.text))
        row.state, row.code, row.processed_at = State.DROPPED, f"{len(lines)} lines", clock.now()
        row.save(update_fields=["state", "code", "processed_at"])


def _check(say: Say) -> None:
    done = InboundEmail.objects.filter(state=State.DONE).count()
    receipts = OutboxMessage.objects.filter(kind="receipt").count()
    if done != receipts or done != MAILS * ROUNDS:
        raise RuntimeError(
            f"{MAILS * ROUNDS} mails with a move came, {done} were played, {receipts} are answered"
        )
    say(f"{done} mails were played, as many receipts are queued")


def _write_mails(players: Sequence[User], name: str) -> Iterator[Delivery]:
    for number in range(MAILS):
        match = make_match("gem", players, now=clock.now())
        seat = Seat.objects.select_related("user", "match").get(match=match, is_waiting=True)
        assert seat.user is not None
        mail = EmailMessage()
        mail["From"], mail["To"] = seat.user.email, seat.reply_address
        mail["Subject"] = f"Re: [GEM {match.code}] ana, ben"
        mail["Message-ID"] = f"<{name}.{number}@client.example.org>"
        quoted = "".join(f"> line {line} of the mail that is answered\n" for line in range(60))
        mail.set_content(f"bid 0\n\nOn Fri, 6 Mar 2026 at 13:00, Gem server wrote:\n{quoted}")
        yield seat.user.email, seat.reply_address, mail.as_bytes(policy=policy.SMTP)


def _send(mails: Sequence[Delivery], port: int) -> float:
    """Deliver them one after the other, each over a connection of its own; return the seconds it took."""
    began = time.perf_counter()
    for sender, recipient, raw in mails:
        with smtplib.SMTP("127.0.0.1", port) as server:
            server.sendmail(sender, [recipient], raw)
    return time.perf_counter() - began


@contextmanager
def _receiving() -> Iterator[int]:
    receiver = smtp.BackgroundReceiver(smtp.listen("127.0.0.1", 0))
    try:
        yield receiver.port
    finally:
        receiver.stop()
