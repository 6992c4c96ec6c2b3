"""Replies as mail programs build them: they name the answered mail in In-Reply-To and quote it."""

from __future__ import annotations

import json
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime

from django.core.mail import EmailMultiAlternatives

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.actions.play.propose_undo import propose_undo
from gemserver.matches.models import Match
from tests.builders import asked, make_match, make_user, play

GMAIL = (
    "<https://www.google.com/gmail/about/?utm_source=gmail-in-product&utm_medium=et"
    "&utm_campaign=emojireactionemail#app>"
)


def reply(answered: EmailMultiAlternatives, sender: str, body: str, *, quotes: bool = True) -> EmailMessage:
    """A reply with the whole mail quoted below the text, as Gmail and Thunderbird write it."""
    letter = EmailMessage()
    letter["Date"] = format_datetime(clock.now())
    letter["From"], letter["To"] = sender, answered.reply_to[0]
    letter["Subject"] = f"Re: {answered.subject}"
    letter["Message-ID"] = f"<{InboundEmail.objects.count()}.{abs(hash(body))}@mail.example.com>"
    letter["In-Reply-To"] = letter["References"] = answered.extra_headers["Message-ID"]
    letter.set_content(f"{body}\n\n{quote(answered)}" if quotes else body)
    return letter


def quote(answered: EmailMultiAlternatives) -> str:
    lines = "\n".join(f"> {line}".rstrip() for line in str(answered.body).splitlines())
    return f"On Tue, Jul 8, 2025, 03:38 Gem server <play@gem.localhost> wrote:\n\n{lines}\n"


def gmail_reaction(
    answered: EmailMultiAlternatives, sender: str, emoji: str, *, part: str | None = None
) -> EmailMessage:
    """A reaction as Gmail sends it: text, the reaction, and HTML, with the mail quoted in both."""
    letter = reply(answered, sender, f"{emoji}\n\nTom reacted via Gmail\n{GMAIL}")
    said = json.dumps({"emoji": emoji, "version": 1}, indent=2, ensure_ascii=False) if part is None else part
    letter.add_alternative(said, subtype="vnd.google.email-reaction+json")
    quoted = str(answered.body).replace("\n", "<br>\n")
    letter.add_alternative(
        f'<div><p style="font-size:50px;margin-top:0">{emoji}</p><p>Tom reacted via <a href="{GMAIL[1:-1]}">Gmail</a>'
        f'</p></div><br><div class="gmail_quote gmail_quote_container"><blockquote class="gmail_quote">{quoted}'
        "</blockquote></div>",
        subtype="html",
    )
    return letter


def outlook_reaction(answered: EmailMultiAlternatives, sender: str, line: str) -> EmailMessage:
    """A reaction as Exchange sends it to others: a line, and the mail below it without marks."""
    return reply(answered, sender, f"{line}\n{outlook_head(answered)}\n{answered.body}", quotes=False)


def outlook_head(answered: EmailMultiAlternatives) -> str:
    return (
        "________________________________\nFrom: Gem server <play@gem.localhost>\n"
        f"Sent: Tuesday, July 8, 2025 3:38:00 AM\nTo: {answered.to[0]}\nSubject: {answered.subject}\n"
    )


def receive(letter: EmailMessage, *, to: str = "", at: datetime | None = None, **auth: str) -> InboundEmail:
    """Store the mail, for its recipient or for `to`, and read it."""
    row = ingest(
        letter.as_bytes(), str(letter["From"]), to or str(letter["To"]), "smtp", auth, received_at=at
    )
    processing.process_stored()
    row.refresh_from_db()
    return row


def match_with_open_undo() -> Match:
    """Return a match of Ana, Ben and Cy; the first of them to move has bid and wants the bid back."""
    made = make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], now=clock.now())
    first = asked(made)
    play(made, first.index, "bid 1", now=clock.now())
    assert first.user
    propose_undo(made.pk, first.user, now=clock.now())
    return Match.objects.get(pk=made.pk)
