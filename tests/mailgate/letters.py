"""Mails of players for tests, as their clients would write them."""

from __future__ import annotations

from datetime import datetime
from email.message import EmailMessage

from django.core.mail import EmailMultiAlternatives

from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Seat


def letter(
    seat: Seat,
    body: str,
    *,
    sender: str | None = None,
    answering: EmailMultiAlternatives | None = None,
    **fields: str,
) -> bytes:
    """A plain-text mail from the seat's player to the seat's reply address; `answering` is quoted below."""
    assert seat.user is not None
    mail = EmailMessage()
    mail["From"] = sender or seat.user.email
    mail["To"] = seat.reply_address
    mail["Subject"] = "Re: [GEM] my move"
    mail["Message-ID"] = f"<{abs(hash((seat.pk, body, sender, str(fields))))}@client.example.org>"
    for name, value in fields.items():
        name = name.replace("_", "-")
        del mail[name]
        if value:
            mail[name] = value
    if answering is not None:
        mail["In-Reply-To"] = answering.extra_headers["Message-ID"]
        quoted = "\n".join(f"> {line}" for line in str(answering.body).splitlines())
        body = f"{body}\n\nOn Fri, 6 Mar 2026 at 13:00, Gem server <play@gem.localhost> wrote:\n{quoted}\n"
    mail.set_content(body)
    return mail.as_bytes()


def receive_at(address: str, raw: bytes, *, sender: str, at: datetime) -> InboundEmail:
    """Store the mail as received at this instant at any address of ours, and process it."""
    row = ingest(raw, sender, address, "smtp", {})
    InboundEmail.objects.filter(pk=row.pk).update(received_at=at)
    processing.process_stored()
    row.refresh_from_db()
    return row


def receive(seat: Seat, raw: bytes, *, source: str = "smtp", **auth: str) -> InboundEmail:
    """Store the mail as from this receiver and process it at once."""
    row = ingest(raw, seat.user.email if seat.user else "", seat.reply_address, source, auth)
    processing.process_stored()
    row.refresh_from_db()
    return row
