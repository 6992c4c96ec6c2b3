"""Sends a player's mail to an address of the server, and collects the mails that follow."""

from __future__ import annotations

from email.message import EmailMessage

from django.core import mail
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.notify import delivery


def account_address(user: User) -> str:
    return f"me+{user.token}@gem.localhost"


def write(
    user: User, body: str, *, to: str | None = None, subject: str = "Hello", **auth: str
) -> InboundEmail:
    """Receive and read a mail of this player to this address (by default, the account's own)."""
    letter = EmailMessage()
    letter["From"], letter["To"] = user.email, to or account_address(user)
    letter["Subject"] = subject
    letter["Message-ID"] = f"<{InboundEmail.objects.count()}@client.example.org>"
    letter.set_content(body)
    row = ingest(letter.as_bytes(), user.email, str(letter["To"]), "smtp", auth)
    processing.process_stored()
    row.refresh_from_db()
    return row


def sent_to(user: User) -> list[EmailMultiAlternatives]:
    """All mails to this player so far, after sending the queued ones."""
    delivery.send_queued()
    return [message for message in mail.outbox if user.email in message.to]  # type: ignore[misc]


def codes(row: InboundEmail) -> list[str]:
    """The result of each line: the refusal's code, or the outcome."""
    return [
        result["code"] if result["outcome"] in {"refused", "unread"} else result["outcome"]
        for result in row.results
    ]


def one_line(message: EmailMultiAlternatives) -> str:
    """The text of a mail with all blanks and line ends folded."""
    return " ".join(str(message.body).split())
